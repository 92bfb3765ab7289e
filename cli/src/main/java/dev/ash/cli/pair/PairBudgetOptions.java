package dev.ash.cli.pair;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a run may use. */
final class PairBudgetOptions {
    @Option(names = "--max-rounds", paramLabel = "N", description = "At most so many rounds.")
    @Nullable Integer maxRounds;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Span.Reader.class,
            description = "Of the whole run, such as 2h or 45m.")
    @Nullable Span timeout;

    @Option(names = "--max-tokens", paramLabel = "N", description = "Of both peers together.")
    @Nullable Long maxTokens;

    @Option(names = "--max-cost", paramLabel = "USD", description = "Of both peers together.")
    @Nullable Double maxCost;

    static @Nullable Long millis(@Nullable Span span) {
        return span == null ? null : (Long) span.millis();
    }
}
