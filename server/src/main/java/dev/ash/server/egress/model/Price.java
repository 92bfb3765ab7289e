package dev.ash.server.egress.model;

/**
 * The prices of one model in USD per million tokens.
 *
 * @param longPrompt the prices of long prompts
 */
record Price(Rates rates, Fees fees, LongPrompt longPrompt) {
    private static final double MILLION = 1_000_000;

    /** Prices of input, of output, and of input that the provider reads from its cache. */
    record Rates(double input, double output, double cacheRead) {}

    /** Applied to the whole call if its prompt has at least {@code minTokens} tokens. */
    record LongPrompt(long minTokens, Rates rates) {}

    /**
     * Other charges of a provider.
     *
     * @param cacheWrite the price of input written to the cache, as a multiple of the input price
     * @param cacheWriteHour the same if it is stored for an hour
     * @param priority the price of faster processing, as a multiple of all token prices
     * @param webSearch USD for one web search
     */
    record Fees(double cacheWrite, double cacheWriteHour, double priority, double webSearch) {}

    double cost(TokenCounts tokens, boolean isPriority) {
        var applied = tokens.prompt() >= longPrompt.minTokens() ? longPrompt.rates() : rates;
        double written =
                tokens.cacheFiveMinutes() * fees.cacheWrite()
                        + tokens.cacheHour() * fees.cacheWriteHour();
        double usd =
                (tokens.input() + written) * applied.input()
                        + tokens.cacheRead() * applied.cacheRead()
                        + tokens.output() * applied.output();
        return usd / MILLION * (isPriority ? fees.priority() : 1)
                + tokens.searches() * fees.webSearch();
    }
}
