package dev.ash.pair.loop;

/**
 * Model usage of turns.
 *
 * @param costUsd the cost of the models with known prices
 */
public record Usage(long inputTokens, long outputTokens, double costUsd) {
    public static final Usage NONE = new Usage(0, 0, 0);

    public Usage plus(Usage more) {
        return new Usage(
                inputTokens + more.inputTokens,
                outputTokens + more.outputTokens,
                costUsd + more.costUsd);
    }

    public long tokens() {
        return inputTokens + outputTokens;
    }
}
