package dev.ash.protocol;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the known name that is most similar to a misspelled name. */
public final class NearMiss {
    private static final int MAX_LENGTH = 100;
    private static final int MIN_SHARED = 4;

    private record Candidate(String name, int distance) {}

    /** Returns the most similar known name, or empty if none is similar enough. */
    public static Optional<String> of(String name, Collection<String> known) {
        if (name.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        var query = normalized(name);
        return known.stream()
                .map(other -> new Candidate(other, distance(query, normalized(other))))
                .filter(candidate -> isSimilar(query, candidate))
                .min(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
                .map(Candidate::name);
    }

    private static boolean isSimilar(String query, Candidate candidate) {
        var other = normalized(candidate.name());
        int allowed = query.length() <= 4 ? 1 : query.length() <= 8 ? 2 : 3;
        return (candidate.distance() <= allowed && candidate.distance() < query.length())
                || isAffix(query, other)
                || isAffix(other, query);
    }

    private static boolean isAffix(String part, String whole) {
        return part.length() >= MIN_SHARED && (whole.startsWith(part) || whole.endsWith(part));
    }

    private static String normalized(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    /** Returns the edit distance: insertions, deletions, substitutions and adjacent swaps. */
    private static int distance(String from, String to) {
        var rows = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                rows[i][j] = i == 0 || j == 0 ? i + j : step(rows, from, to, i, j);
            }
        }
        return rows[from.length()][to.length()];
    }

    private static int step(int[][] rows, String from, String to, int i, int j) {
        boolean same = from.charAt(i - 1) == to.charAt(j - 1);
        int min =
                Math.min(
                        rows[i - 1][j - 1] + (same ? 0 : 1),
                        1 + Math.min(rows[i - 1][j], rows[i][j - 1]));
        boolean swapped =
                i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
        return swapped ? Math.min(min, rows[i - 2][j - 2] + 1) : min;
    }

    private NearMiss() {}
}
