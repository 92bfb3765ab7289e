package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Options of one turn. */
public record TurnOptions(
        boolean includePartialMessages,
        @Nullable String model,
        @Nullable Integer maxTurns,
        @Nullable Double maxBudgetUsd,
        @Nullable String effort,
        @Nullable RawJson thinking,
        @Nullable RawJson outputFormat) {

    public static final TurnOptions NONE =
            new TurnOptions(false, null, null, null, null, null, null);
}
