package dev.ash.server.egress.http;

/** Observes a response while it is forwarded; it can neither change nor stop it. */
public interface ResponseObserver {
    ResponseObserver NONE = new ResponseObserver() {};

    /** The host did not receive the whole request, so there is no response. */
    default void notSent() {}

    default void head(ResponseHead response) {}

    default void piece(byte[] bytes, int length) {}

    /** Whether the rest of the response must be read even if the client is gone. */
    default boolean needsMore() {
        return false;
    }

    /** Also called when the response broke off or never came. May be called twice. */
    default void end() {}
}
