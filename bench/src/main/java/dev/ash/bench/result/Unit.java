package dev.ash.bench.result;

/** The unit of a figure, and whether a larger value is better. */
public enum Unit {
    MILLISECONDS("ms", false),
    MICROSECONDS("µs", false),
    MEGABYTES("MB", false),
    LOST("lost", false),
    PER_SECOND("/s", true);

    private final String symbol;
    private final boolean isMoreBetter;

    Unit(String symbol, boolean isMoreBetter) {
        this.symbol = symbol;
        this.isMoreBetter = isMoreBetter;
    }

    public String symbol() {
        return symbol;
    }

    public boolean isMoreBetter() {
        return isMoreBetter;
    }
}
