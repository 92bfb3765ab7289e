package dev.ash.server.egress.model;

/**
 * Admits the calls of one session to the model and records their usage. Called concurrently by the
 * threads of connections.
 */
public interface CallBudget {
    /** Whether cost is limited; a model without a price must not be free then. */
    boolean limitsCost();

    /** Called before each metered call. */
    Admission admit(ModelUsage estimate);

    /** Whether a call may be made. */
    sealed interface Admission {
        /** The receiver must end the call by exactly one of its methods. */
        record Admitted(CallInFlight call) implements Admission {}

        record Rejected(String sentence) implements Admission {}
    }

    /** A call that was admitted and counts with its estimate until it is settled. */
    interface CallInFlight {
        /**
         * Called before the client receives the end of the response, so that its next call counts
         * it.
         */
        void settle(ModelUsage usage);

        /** The call was not made, or the model rejected it: it cost nothing. */
        void release();
    }
}
