package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.server.device.SentRequest;
import dev.ash.server.device.SentRequestStore;
import dev.ash.server.session.turn.TurnStatements;
import java.time.Clock;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one connection that must run once, although the device may send them again on
 * another connection. A stored request is deleted when the device confirms its first answer: a ping
 * follows that answer, and the pong proves that the device has received both. Only the connection
 * that sent the request counts. Another connection replays the answer on its own, and its pong may
 * precede the repetition.
 */
final class SentRequests {
    private static final int MAX_PENDING = 4096;

    private final String connection = UUID.randomUUID().toString();
    private final String device;
    private final SentRequestStore store;
    private final DeviceLink link;
    private final Clock clock;
    private final Set<String> unanswered = new LinkedHashSet<>(); // guarded by this
    private final Map<Long, String> pinged = new LinkedHashMap<>(); // guarded by this
    private volatile boolean closed;
    private long number; // guarded by this; counts down, the pings of Confirmations count up

    SentRequests(String device, SentRequestStore store, DeviceLink link, Clock clock) {
        this.device = device;
        this.store = store;
        this.link = link;
        this.clock = clock;
    }

    SentRequest message(SessionId session, String id, String content, String attachments) {
        return SentRequest.message(device, connection, session, id, content, attachments);
    }

    SentRequest start(String id, String payload) {
        return SentRequest.start(device, connection, id, payload);
    }

    /**
     * The stored request that this one repeats, assigned to this connection; empty if it is new. A
     * closed connection, whose last requests are still being executed, cannot confirm an answer and
     * leaves the request to the connection that has it.
     */
    Optional<String> claim(SentRequest request) {
        return closed ? store.find(request) : store.claim(request);
    }

    void close() {
        closed = true;
    }

    /** Stores a new message together with its turn. */
    TurnStatements note(SentRequest request) {
        return (transaction, turn, now) -> {
            store.insert(transaction, request, turn.value(), now);
            expectAnswer(turn.value());
        };
    }

    /** The key of a session_start: that of the request that it repeats, or a new one. */
    String key(SentRequest request) {
        var repeated = claim(request);
        if (repeated.isPresent()) {
            return repeated.get();
        }
        var key = UUID.randomUUID().toString();
        try {
            store.insert(request, key, clock.millis());
            return key;
        } catch (ApiException e) {
            if (e.code() != ErrorCode.SESSION_BUSY) {
                throw e;
            }
            return claim(request).orElseThrow(() -> e); // another connection was first
        }
    }

    /** The request failed; the device may send it again. */
    void failed(String id) {
        store.delete(id);
    }

    private synchronized void expectAnswer(String id) {
        unanswered.add(id);
        evict(unanswered.iterator(), unanswered.size());
    }

    /** A frame of this turn was sent. */
    synchronized void answered(@Nullable TurnId turn) {
        if (turn != null && unanswered.remove(turn.value())) {
            ping(turn.value());
        }
    }

    /** Sends the answer to a request of its own. */
    synchronized void answer(GatewayFrame frame, String id) {
        link.send(frame);
        ping(id);
    }

    private void ping(String id) {
        number--;
        pinged.put(number, id);
        evict(pinged.keySet().iterator(), pinged.size());
        link.ping(number);
    }

    /** Limits the memory that a device can use which never sees or confirms an answer. */
    private static void evict(Iterator<?> eldest, int size) {
        if (size > MAX_PENDING) {
            eldest.next();
            eldest.remove();
        }
    }

    /** Handles the pongs of its own pings; returns false for others. */
    boolean pong(long repeated) {
        if (repeated >= 0) {
            return false;
        }
        String id;
        synchronized (this) {
            id = pinged.remove(repeated);
        }
        if (id != null) {
            store.confirm(connection, id);
        }
        return true;
    }
}
