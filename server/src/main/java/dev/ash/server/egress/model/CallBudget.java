package dev.ash.server.egress.model;

/**
 * Admits the model calls of one session and records their usage. Called concurrently by connection
 * threads.
 */
public interface CallBudget {
    /** Returns whether cost is limited; models without a price must then not be free. */
    boolean limitsCost();

    /** Called before each metered call. */
    Admission admit(ModelUsage estimate);

    /** The decision whether a call may be made. */
    sealed interface Admission {
        /** The receiver must end the call with exactly one of its methods. */
        record Admitted(CallInFlight call) implements Admission {}

        record Rejected(String message) implements Admission {}
    }

    /** An admitted call; its estimate counts toward the budget until the call is settled. */
    interface CallInFlight {
        /**
         * Records the actual usage. Called before the client receives the end of the response, so
         * that the budget is up to date for its next call.
         */
        void settle(ModelUsage usage);

        /** Ends a call without cost: it was not made, or the model rejected it. */
        void release();
    }
}
