package dev.ash.bench.run;

/** Measures one operation that users of Ash perform, together with its floor. */
public interface Benchmark {
    String name();

    /** Returns one line for {@code --list}. */
    String description();

    /**
     * Measures and records figures; throws {@link SkippedException} if a requirement is missing.
     */
    void run(Measurement measurement) throws Exception;

    /** Returns whether the benchmark runs only if it is named. */
    default boolean isOnRequest() {
        return false;
    }
}
