package dev.ash.sandbox.files;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A range of host uids reserved for sandboxes. */
public record UidRange(int first, int count) {
    /**
     * Above the ids that other software allocates by default: people and services (below 60000),
     * systemd's dynamic users (61184), subordinate ids of containers (100000 to 600100000),
     * systemd-nspawn (524288 to 1879048191), directory services (200000 to 2000200000). Below
     * systemd's foreign ids (2147352576) and the sign bit, which some programs mishandle.
     */
    public static final UidRange DEFAULT = new UidRange(2_100_000_000, 65_536);

    /** For containers with 65536 ids: between those of people and systemd. */
    private static final UidRange SMALL = new UidRange(30_000, 30_000);

    /** Returns the first range that is mapped according to {@code /proc/self/uid_map}. */
    public static Optional<UidRange> mappedIn(List<String> uidMap) {
        return Stream.of(DEFAULT, SMALL)
                .filter(range -> uidMap.stream().anyMatch(line -> covers(line, range)))
                .findFirst();
    }

    public boolean contains(int uid) {
        return uid >= first && uid < first + count;
    }

    /** Returns the uid at an index, modulo the size. */
    int at(int index) {
        return first + Math.floorMod(index, count);
    }

    private static boolean covers(String line, UidRange range) {
        var fields = line.trim().split("\\s+", -1);
        if (fields.length != 3) {
            return false;
        }
        long from = Long.parseLong(fields[0]);
        long to = from + Long.parseLong(fields[2]);
        return from <= range.first && range.first + (long) range.count <= to;
    }
}
