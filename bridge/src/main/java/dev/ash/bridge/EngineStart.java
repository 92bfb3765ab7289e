package dev.ash.bridge;

/** When the bridge starts its engine. */
enum EngineStart {
    /** With the first prompt or {@code resume}: a session without one costs no engine process. */
    FIRST_PROMPT,

    /** As soon as the session is configured: the first prompt finds the engine ready. */
    CONFIGURE
}
