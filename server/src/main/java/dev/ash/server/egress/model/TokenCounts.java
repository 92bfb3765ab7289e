package dev.ash.server.egress.model;

/** The token counts of a {@code usage} object; those of one call are merged with {@link #max}. */
record TokenCounts(
        long input,
        long cacheFiveMinutes,
        long cacheHour,
        long cacheRead,
        long output,
        long searches) {
    static final TokenCounts ZERO = new TokenCounts(0, 0, 0, 0, 0, 0);

    TokenCounts max(TokenCounts other) {
        return new TokenCounts(
                Math.max(input, other.input),
                Math.max(cacheFiveMinutes, other.cacheFiveMinutes),
                Math.max(cacheHour, other.cacheHour),
                Math.max(cacheRead, other.cacheRead),
                Math.max(output, other.output),
                Math.max(searches, other.searches));
    }

    TokenCounts withInput(long tokens) {
        return new TokenCounts(tokens, cacheFiveMinutes, cacheHour, cacheRead, output, searches);
    }

    TokenCounts withOutput(long tokens) {
        return new TokenCounts(input, cacheFiveMinutes, cacheHour, cacheRead, tokens, searches);
    }

    long cacheCreation() {
        return cacheFiveMinutes + cacheHour;
    }

    /** Returns the size of the prompt, which may determine the price. */
    long prompt() {
        return input + cacheCreation() + cacheRead;
    }
}
