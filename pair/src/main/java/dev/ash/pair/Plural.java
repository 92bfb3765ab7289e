package dev.ash.pair;

/** Formats counts with their noun: {@code 1 round}, {@code 2 rounds}. */
public final class Plural {
    private Plural() {}

    public static String of(long count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }
}
