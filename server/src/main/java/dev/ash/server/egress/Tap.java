package dev.ash.server.egress;

/** Looks at an answer while it passes; it can neither change nor stop it. */
interface Tap {
    Tap NONE = new Tap() {};

    default void head(ResponseHead answer) {}

    default void piece(byte[] bytes, int length) {}

    /** Also when the answer broke off or never came. May be called twice. */
    default void end() {}
}
