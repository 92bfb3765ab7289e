package dev.ash.e2e.gateway;

/** When a phone drops its connection. */
enum Moment {
    CONNECTED,
    AUTH_SENT,
    LET_IN,
    /** After so many frames of whatever kind: in the replay, or live. */
    TOLD,
    /** After so many pieces of text. */
    STREAMING,
    /** Before it confirms what it was told. */
    PINGED,
    /** After it has confirmed so often. */
    CONFIRMED,
    ASKED,
    ANSWERED,
    NEVER
}
