package dev.ash.server.egress;

/** Looks at an answer while it passes; it can neither change nor stop it. */
interface Tap {
    Tap NONE = new Tap() {};

    /** The request did not reach the host as a whole, so there is nothing to answer. */
    default void notSent() {}

    default void head(ResponseHead answer) {}

    default void piece(byte[] bytes, int length) {}

    /** Whether the rest of the answer must be read even if the client is gone. */
    default boolean needsMore() {
        return false;
    }

    /** Also when the answer broke off or never came. May be called twice. */
    default void end() {}
}
