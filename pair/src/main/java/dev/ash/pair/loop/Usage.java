package dev.ash.pair.loop;

/**
 * What turns used of the models.
 *
 * @param costUsd of the part whose price is known
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
