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
 * What one connection was handed. It begins where its peer has acknowledged, hands out each message
 * once, and takes back what an answer that never arrived had handed out. {@code lock} guards it.
 */
final class Delivery {
    private static final int READ = 64;

    /** Texts of so many bytes end an answer: clients cut or refuse what is longer. */
    private static final int MAX_BYTES = 48 * 1024;

    /** {@code scanned} is the last message looked at, for whomever it was. */
    record Batch(List<Entry> entries, long scanned, boolean more) {}

    private record Handed(RawJson request, long before) {}

    private final Mailbox mailbox;
    private final PeerName peer;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Handed> handed = new ArrayList<>();
    private long position;

    Delivery(Mailbox mailbox, PeerName peer) throws IOException {
        this.mailbox = mailbox;
        this.peer = peer;
        this.position = mailbox.acked(peer);
    }

    /** What was handed out before counts as read: whoever asks for more has it. */
    void acknowledgeHanded() throws IOException {
        lock.lock();
        try {
            handed.clear();
            mailbox.ack(peer, position);
        } finally {
            lock.unlock();
        }
    }

    void acknowledge(long seq) throws IOException {
        lock.lock();
        try {
            handed.clear();
            mailbox.ack(peer, seq);
            position = Math.max(position, seq);
        } finally {
            lock.unlock();
        }
    }

    /** What there is after the last that was handed out; it stays where it is. */
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
            return hand(collect(position, limit), call);
        } finally {
            lock.unlock();
        }
    }

    Batch takeAfter(long seq, int limit, PendingCall call) throws IOException {
        lock.lock();
        try {
            return hand(collect(seq, limit), call);
        } finally {
            lock.unlock();
        }
    }

    /** The answer to this request never arrived: what it held is handed out again. */
    void takeBack(RawJson request) {
        lock.lock();
        try {
            for (var one : handed) {
                if (one.request().equals(request)) {
                    position = Math.min(position, one.before());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private Batch hand(Batch batch, PendingCall call) {
        if (!call.isCancelled()) {
            if (!batch.entries().isEmpty()) {
                handed.add(new Handed(call.id(), position));
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
            var entries = mailbox.read(scanned, READ);
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
