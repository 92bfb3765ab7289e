package dev.ash.server.pair;

import dev.ash.pair.loop.TurnListener;
import dev.ash.pair.mcp.LoopContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the tools of a run's peers know of its loop. */
final class CurrentTurn implements TurnListener, LoopContext {
    private volatile Scene scene = new Scene(0, 0, null);

    private record Scene(int round, int turn, @Nullable String commit) {}

    @Override
    public void turnStarts(int round, int turn, @Nullable String commit) {
        scene = new Scene(round, turn, commit);
    }

    @Override
    public int iteration() {
        return scene.round();
    }

    @Override
    public String occasion() {
        var now = scene;
        return now.round() + "/" + now.turn();
    }

    @Override
    public Optional<String> commitUnderReview() {
        return Optional.ofNullable(scene.commit());
    }
}
