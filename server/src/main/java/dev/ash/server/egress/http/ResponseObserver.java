package dev.ash.server.egress.http;

/** Observes a response while it is forwarded; cannot change or stop it. */
public interface ResponseObserver {
    ResponseObserver NONE = new ResponseObserver() {};

    /** Called if the host did not receive the whole request, so there is no response. */
    default void onNotSent() {}

    default void onHead(ResponseHead response) {}

    default void onBody(byte[] bytes, int length) {}

    /**
     * Returns whether the rest of the response must be read even if the client has disconnected.
     */
    default boolean needsMore() {
        return false;
    }

    /** Called at the end, also of a truncated or missing response. May be called twice. */
    default void onEnd() {}
}
