package dev.ash.pair.mcp;

import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Tracks the messages that a connection has delivered. Starts after the last message that the peer
 * acknowledged, delivers each message once, and redelivers the messages of a response that was
 * lost. {@code lock} guards the state.
 */
final class Delivery {
    private static final int PAGE_SIZE = 64;

    /**
     * Maximum text per response, unless a single message is longer; clients truncate or reject
     * more.
     */
    private static final int MAX_BYTES = 48 * 1024;

    /**
     * Messages to the peer. {@code scanned} is the last message read, including those to other
     * peers.
     */
    record Batch(List<Entry> entries, long scanned, boolean more) {}

    private record Delivered(RawJson request, long before) {}

    private final Mailbox mailbox;
    private final PeerName peer;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Delivered> delivered = new ArrayList<>();
    private long position;

    Delivery(Mailbox mailbox, PeerName peer) throws IOException {
        this.mailbox = mailbox;
        this.peer = peer;
        this.position = mailbox.acked(peer);
    }

    /** Acknowledges all delivered messages: a client that requests more has received them. */
    void acknowledgeDelivered() throws IOException {
        lock.lock();
        try {
            delivered.clear();
            mailbox.ack(peer, position);
        } finally {
            lock.unlock();
        }
    }

    void acknowledge(long seq) throws IOException {
        lock.lock();
        try {
            delivered.clear();
            mailbox.ack(peer, seq);
            position = Math.max(position, seq);
        } finally {
            lock.unlock();
        }
    }

    /** Returns undelivered messages without delivering them. */
    Batch peek(int limit) throws IOException {
        lock.lock();
        try {
            return collect(position, limit);
        } finally {
            lock.unlock();
        }
    }

    Batch peekAfter(long seq, int limit) throws IOException {
        return collect(seq, limit);
    }

    Batch take(int limit, PendingCall call) throws IOException {
        lock.lock();
        try {
            return deliver(collect(position, limit), call);
        } finally {
            lock.unlock();
        }
    }

    Batch takeAfter(long seq, int limit, PendingCall call) throws IOException {
        lock.lock();
        try {
            return deliver(collect(seq, limit), call);
        } finally {
            lock.unlock();
        }
    }

    /** Redelivers the messages of a request whose response was lost. */
    void redeliver(RawJson request) {
        lock.lock();
        try {
            for (var one : delivered) {
                if (one.request().equals(request)) {
                    position = Math.min(position, one.before());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private Batch deliver(Batch batch, PendingCall call) {
        if (!call.isCancelled()) {
            if (!batch.entries().isEmpty()) {
                delivered.add(new Delivered(call.id(), position));
            }
            position = Math.max(position, batch.scanned());
        }
        return batch;
    }

    private Batch collect(long after, int limit) throws IOException {
        var found = new ArrayList<Entry>();
        long scanned = after;
        long bytes = 0;
        while (true) {
            var entries = mailbox.read(scanned, PAGE_SIZE);
            if (entries.isEmpty()) {
                return new Batch(found, scanned, false);
            }
            for (var entry : entries) {
                if (entry.message().isFor(peer.value())) {
                    bytes += size(entry);
                    if (found.size() == limit || (bytes > MAX_BYTES && !found.isEmpty())) {
                        return new Batch(found, scanned, true);
                    }
                    found.add(entry);
                }
                scanned = entry.seq();
            }
        }
    }

    private static long size(Entry entry) {
        var metadata = entry.message().metadata();
        return entry.message().content().length() + (metadata == null ? 0L : metadata.length());
    }
}
