package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * How a process comes to its thread.
 *
 * @param threadId the one to go on with; null for a new one
 * @param lastTurnId where a fork is cut; null for all of it
 */
record ThreadRequest(String method, @Nullable String threadId, @Nullable String lastTurnId) {
    private static final ThreadRequest NEW = new ThreadRequest("thread/start", null, null);

    /**
     * Goes on where there is something to go on with. What a copied home goes on with is the
     * original's, and gets an id of its own.
     */
    static ThreadRequest of(EngineSetup setup) {
        var conversation = setup.conversation();
        var known = conversation.of(CodexEngine.NAME);
        if (known.isEmpty()
                || !(conversation.answered(CodexEngine.NAME)
                        || CodexHome.of(setup).hasTranscript(known.get()))) {
            return NEW;
        }
        if (!conversation.copiedFor(setup.sessionId())) {
            return new ThreadRequest("thread/resume", known.get(), null);
        }
        var cut = setup.config().forkAt();
        return new ThreadRequest(
                "thread/fork", known.get(), cut == null ? null : Translation.turnOf(cut));
    }

    /** With the parameters that every thread has. */
    RawJson addTo(JsonWriter params) {
        params.put("threadId", threadId).put("lastTurnId", lastTurnId);
        return threadId == null ? params.end() : params.put("excludeTurns", true).end();
    }
}
