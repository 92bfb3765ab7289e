package dev.ash.cli.pair;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the limits of a run. */
final class PairBudgetOptions {
    @Option(names = "--max-rounds", paramLabel = "N", description = "Maximum number of rounds.")
    @Nullable Integer maxRounds;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = TimeSpan.Converter.class,
            description = "Maximum duration of the run, such as 2h or 45m.")
    @Nullable TimeSpan timeout;

    @Option(names = "--max-tokens", paramLabel = "N", description = "Maximum tokens of both peers.")
    @Nullable Long maxTokens;

    @Option(names = "--max-cost", paramLabel = "USD", description = "Maximum cost of both peers.")
    @Nullable Double maxCost;

    static @Nullable Long millis(@Nullable TimeSpan span) {
        return span == null ? null : (Long) span.millis();
    }
}
