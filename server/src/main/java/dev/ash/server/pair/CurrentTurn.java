package dev.ash.server.pair;

import dev.ash.pair.loop.TurnListener;
import dev.ash.pair.mcp.LoopContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Publishes the current turn of a loop to the tools of its peers. */
final class CurrentTurn implements TurnListener, LoopContext {
    private volatile Turn current = new Turn(0, 0, null);

    private record Turn(int round, int turn, @Nullable String commit) {}

    @Override
    public void turnStarts(int round, int turn, @Nullable String commit) {
        current = new Turn(round, turn, commit);
    }

    @Override
    public int iteration() {
        return current.round();
    }

    @Override
    public String turnKey() {
        var now = current;
        return now.round() + "/" + now.turn();
    }

    @Override
    public Optional<String> commitUnderReview() {
        return Optional.ofNullable(current.commit());
    }
}
