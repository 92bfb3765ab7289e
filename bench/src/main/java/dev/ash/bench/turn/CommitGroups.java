package dev.ash.bench.turn;

import dev.ash.bench.server.BenchServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The sizes of the writer's commits, from the histogram {@code ash_commit_units} of a server. */
record CommitGroups(SortedMap<Double, Double> cumulative) {
    private static final Pattern BUCKET =
            Pattern.compile("ash_commit_units_bucket\\{le=\"([0-9.E+-]+)\"} ([0-9.E+]+)");

    static CommitGroups of(BenchServer server) throws IOException, InterruptedException {
        return parse(server.get("/metrics"));
    }

    static CommitGroups parse(String metrics) {
        var buckets = new TreeMap<Double, Double>();
        var found = BUCKET.matcher(metrics);
        while (found.find()) {
            buckets.put(Double.parseDouble(found.group(1)), Double.parseDouble(found.group(2)));
        }
        return new CommitGroups(buckets);
    }

    /**
     * Returns groups with the sizes of the commits since an earlier state, for this number of rows.
     * The histogram has only ranges of sizes, so the middle of each range is used, and the number
     * of groups is scaled to the rows.
     */
    List<Integer> since(CommitGroups before, int rows) {
        var sizes = new ArrayList<Integer>();
        double lower = 0;
        double seen = 0;
        for (var bucket : cumulative.entrySet()) {
            double size = (lower + 1 + bucket.getKey()) / 2;
            double all = bucket.getValue() - before.cumulative.getOrDefault(bucket.getKey(), 0.0);
            for (long i = Math.round(all - seen); i > 0; i--) {
                sizes.add((int) Math.round(size));
            }
            seen = all;
            lower = bucket.getKey();
        }
        return scaled(sizes, rows);
    }

    private static List<Integer> scaled(List<Integer> sizes, int rows) {
        var groups = new ArrayList<Integer>();
        int left = rows;
        for (int i = 0; left > 0 && !sizes.isEmpty(); i++) {
            int size = Math.min(left, sizes.get((i * 31) % sizes.size()));
            groups.add(size);
            left -= size;
        }
        return groups;
    }
}
