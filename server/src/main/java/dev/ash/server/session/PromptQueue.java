package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.server.event.NewEvent;
import dev.ash.server.store.KillPoint;
import java.util.List;

/** Starts the queued prompts of one session, in the order of their arrival. */
final class PromptQueue {
    private final LiveSession live;
    private final SessionCore core;
    private final OpenTurns turns;

    PromptQueue(LiveSession live, SessionCore core, OpenTurns turns) {
        this.live = live;
        this.core = core;
        this.turns = turns;
    }

    /** Starts the oldest prompt unless a turn is open. */
    void beginNext() {
        try {
            StoredPrompt.next(turns, core.turns(), live.tenant()).ifPresent(this::begin);
        } catch (ApiException e) {
            live.unlogged(e);
        }
    }

    private void begin(StoredPrompt next) {
        var session = live.id();
        core.events()
                .append(
                        session,
                        List.of(NewEvent.prompt(session, next.turn(), next.query().prompt())),
                        (transaction, now) ->
                                core.turns().begun(transaction, next.turn(), next.query(), now),
                        () -> Thread.ofVirtual().start(() -> run(next)),
                        why -> {
                            next.close();
                            live.unlogged(why);
                        });
    }

    private void run(StoredPrompt prompt) {
        try (prompt) {
            KillPoint.QUEUED_PROMPT_BEGUN.reached();
            live.run(prompt.query());
        }
    }
}
