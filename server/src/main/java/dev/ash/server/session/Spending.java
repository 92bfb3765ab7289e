package dev.ash.server.session;

import dev.ash.protocol.rest.SessionUsage;
import dev.ash.server.egress.Usage;
import dev.ash.server.wall.Wall;
import java.util.Optional;

/** What a session has used of the model so far, held against what it may. */
final class Spending {
    private Wall wall; // guarded by this, as all
    private long tokens;
    private double costUsd;

    Spending(Wall wall, SessionUsage before) {
        this.wall = wall;
        this.tokens =
                before.inputTokens()
                        + before.outputTokens()
                        + before.cacheCreationTokens()
                        + before.cacheReadTokens();
        this.costUsd = before.costUsd();
    }

    synchronized void add(Usage usage) {
        tokens += usage.input() + usage.output() + usage.cacheCreation() + usage.cacheRead();
        costUsd += usage.costUsd();
    }

    synchronized void limit(Wall changed) {
        wall = changed;
    }

    synchronized Optional<String> over() {
        var money = wall.maxBudgetUsd();
        if (money != null && costUsd >= money) {
            return Optional.of(
                    "Ash: this session has used $%.4f of the $%.4f that its maxBudgetUsd allows"
                            .formatted(costUsd, money));
        }
        var most = wall.maxTokens();
        if (most != null && tokens >= most) {
            return Optional.of(
                    "Ash: this session has used %,d of the %,d tokens that its maxTokens allows"
                            .formatted(tokens, most));
        }
        return Optional.empty();
    }
}
