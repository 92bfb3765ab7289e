package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineSetup;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * The request that starts, resumes or forks a thread.
 *
 * @param threadId the thread to resume or fork; null for a new one
 * @param lastTurnId the last turn of a fork; null to keep all turns
 */
record OpenThreadRequest(String method, @Nullable String threadId, @Nullable String lastTurnId) {
    private static final OpenThreadRequest NEW = new OpenThreadRequest("thread/start", null, null);

    /**
     * Resumes the conversation if there is one; otherwise starts a new one. In a copied home, forks
     * the original conversation under a new id.
     */
    static OpenThreadRequest of(EngineSetup setup) {
        var conversation = setup.conversation();
        var known = conversation.idFor(CodexEngine.NAME);
        if (known.isEmpty()
                || !(conversation.hasCompletedTurn(CodexEngine.NAME)
                        || CodexHome.of(setup).hasTranscript(known.get()))) {
            return NEW;
        }
        if (!conversation.isCopyFor(setup.sessionId())) {
            return new OpenThreadRequest("thread/resume", known.get(), null);
        }
        var cut = setup.config().forkAt();
        return new OpenThreadRequest(
                "thread/fork", known.get(), cut == null ? null : ItemTranslator.turnOfMessage(cut));
    }

    /** Returns the parameters of this request, added to those of every thread. */
    RawJson addTo(JsonWriter params) {
        params.put("threadId", threadId).put("lastTurnId", lastTurnId);
        return threadId == null ? params.end() : params.put("excludeTurns", true).end();
    }
}
