package dev.ash.server.session;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.util.List;

/** The turns that the log knows to be open when a session gets its sandbox. */
final class EarlierTurns {
    private final LiveSession live;
    private final OpenTurns turns;
    private final TurnLog log;
    private final TurnStore store;

    EarlierTurns(LiveSession live, OpenTurns turns, TurnLog log, TurnStore store) {
        this.live = live;
        this.turns = turns;
        this.log = log;
        this.store = store;
    }

    void know(List<TurnStore.Open> open) {
        for (var turn : open) {
            if (turn.status() != TurnStore.Status.QUEUED) {
                turns.reopen(turn.id());
            } else if (turn.hasQuery()) {
                turns.enqueue(turn.id());
            }
        }
    }

    /** Sent again, where the bridge may not have them; it runs each once. */
    void goOn(List<TurnStore.Open> open) throws IOException {
        for (var turn : open) {
            switch (turn.status()) {
                case RUNNING -> {
                    var query = store.query(turn.id());
                    if (query.isPresent()) {
                        live.send(query.get());
                    }
                }
                case DEFERRED, CONTINUED -> {
                    var query = store.query(turn.id());
                    if (query.isPresent()) {
                        goOn(turn.id(), query.get());
                    }
                }
                case QUEUED, DONE, ERROR -> {}
            }
        }
    }

    private void goOn(TurnId turn, BridgeCommand.Query query) throws IOException {
        log.continued(turn);
        KillPoint.TURN_CONTINUED.reached();
        live.send(new BridgeCommand.Continue(live.id().value(), turn.value(), query.options()));
    }
}
