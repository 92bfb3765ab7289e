package dev.ash.pair.mailbox;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The offsets of the messages in the file, and their counts. Not thread-safe. */
final class Index {
    private static final int MAX_RECENT_SKIPPED = 16;

    private record ClientKey(String from, String clientId) {}

    private long[] offsets = new long[64];
    private int[] lengths = new int[64];
    private int[] idHashes = new int[64];
    private int count;
    private final Map<ClientKey, Long> clients = new HashMap<>();
    private final Map<String, Long> bySender = new TreeMap<>();
    private final Map<String, Long> byType = new TreeMap<>();
    private final Map<String, Long> bySignal = new HashMap<>();
    private final ArrayDeque<SkippedLine> recentlySkipped = new ArrayDeque<>();
    private long skipped;
    private long flagged;
    private @Nullable Entry last;

    void add(long offset, int length, Entry entry) {
        if (count == offsets.length) {
            offsets = Arrays.copyOf(offsets, count * 2);
            lengths = Arrays.copyOf(lengths, count * 2);
            idHashes = Arrays.copyOf(idHashes, count * 2);
        }
        var message = entry.message();
        offsets[count] = offset;
        lengths[count] = length;
        idHashes[count] = message.id().hashCode();
        count++;
        last = entry;
        if (message.clientId() != null) {
            clients.putIfAbsent(new ClientKey(message.from(), message.clientId()), entry.seq());
        }
        bySender.merge(message.from(), 1L, Long::sum);
        byType.merge(message.type(), 1L, Long::sum);
        bySignal.merge(message.signal(), 1L, Long::sum);
        flagged += entry.flags().isEmpty() ? 0 : 1;
    }

    void skip(SkippedLine line) {
        skipped++;
        recentlySkipped.addLast(line);
        if (recentlySkipped.size() > MAX_RECENT_SKIPPED) {
            recentlySkipped.removeFirst();
        }
    }

    int count() {
        return count;
    }

    long offset(long seq) {
        return offsets[(int) seq - 1];
    }

    int length(long seq) {
        return lengths[(int) seq - 1];
    }

    /** Returns whether the message may have this id, by comparing hashes. */
    boolean mayHaveId(long seq, String id) {
        return idHashes[(int) seq - 1] == id.hashCode();
    }

    @Nullable Entry last() {
        return last;
    }

    OptionalLong findByClientId(String from, String clientId) {
        var seq = clients.get(new ClientKey(from, clientId));
        return seq == null ? OptionalLong.empty() : OptionalLong.of(seq);
    }

    Status status() {
        return new Status(
                count,
                bySignal.getOrDefault("DONE", 0L),
                bySignal.getOrDefault("PASS", 0L),
                bySignal.getOrDefault("FAIL", 0L),
                Collections.unmodifiableMap(new TreeMap<>(bySender)),
                Collections.unmodifiableMap(new TreeMap<>(byType)),
                flagged,
                skipped,
                List.copyOf(recentlySkipped));
    }
}
