package dev.ash.bridge;

/** When the bridge starts its engine. */
enum EngineStart {
    /** With the first prompt or {@code resume}: an unused session has no engine process. */
    FIRST_PROMPT,

    /** When the session is configured, so that the engine is ready for the first prompt. */
    CONFIGURE
}
