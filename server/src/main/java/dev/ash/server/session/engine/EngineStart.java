package dev.ash.server.session.engine;

/** When the engine of a session starts. */
public enum EngineStart {
    /** With the session, so that the first prompt does not wait for it. */
    WITH_SESSION,

    /** With the first prompt: an unused session has no engine process. */
    WITH_PROMPT
}
