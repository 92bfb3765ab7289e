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
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Ensures that requests of one connection run once, although the device may send them again on
 * another connection. A stored request is deleted when the device confirms its first answer: a ping
 * follows that answer, and its pong confirms both. Only a pong on the connection that sent the
 * request counts: another connection also replays the answer, and its pong may arrive before the
 * repetition.
 */
final class SentRequests {
    private static final int MAX_UNANSWERED = 4096;

    private final String connection = UUID.randomUUID().toString();
    private final String device;
    private final SentRequestStore store;
    private final DeviceLink link;
    private final Pings pings;
    private final Clock clock;
    private final Set<String> unanswered = new LinkedHashSet<>(); // guarded by this
    private volatile boolean closed;

    SentRequests(String device, SentRequestStore store, DeviceLink link, Pings pings, Clock clock) {
        this.device = device;
        this.store = store;
        this.link = link;
        this.pings = pings;
        this.clock = clock;
    }

    SentRequest message(SessionId session, String id, String content, String attachments) {
        return SentRequest.message(device, connection, session, id, content, attachments);
    }

    SentRequest start(String id, String payload) {
        return SentRequest.start(device, connection, id, payload);
    }

    /**
     * Returns the stored request that this one repeats, assigned to this connection; empty if it is
     * new. A closed connection, whose last requests are still being executed, cannot confirm an
     * answer, so it does not assign the request to itself.
     */
    Optional<String> claim(SentRequest request) {
        return closed ? store.find(request) : store.claim(request);
    }

    void close() {
        closed = true;
    }

    /** Returns statements that store a new message in the transaction of its turn. */
    TurnStatements storeWithTurn(SentRequest request) {
        return (transaction, turn, now) -> {
            store.insert(transaction, request, turn.value(), now);
            expectAnswer(turn.value());
        };
    }

    /** Returns the key of a session_start: that of the request that it repeats, or a new one. */
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

    /** Deletes a failed request, so that the device can send it again. */
    void failed(String id) {
        store.delete(id);
    }

    private synchronized void expectAnswer(String id) {
        unanswered.add(id);
        if (unanswered.size() > MAX_UNANSWERED) { // its confirmation is lost, but not the request
            unanswered.remove(unanswered.iterator().next());
        }
    }

    /** Called when a frame of this turn was sent. */
    synchronized void answered(@Nullable TurnId turn) {
        if (turn != null && unanswered.remove(turn.value())) {
            ping(turn.value());
        }
    }

    /** Sends the answer to a request that opens no turn. */
    synchronized void answer(GatewayFrame frame, String id) {
        link.send(frame);
        ping(id);
    }

    /**
     * A request without a ping stays stored: the device gets a duplicate error if it repeats it.
     */
    private void ping(String id) {
        if (!pings.isFull()) {
            pings.send(() -> store.confirm(connection, id));
        }
    }
}
