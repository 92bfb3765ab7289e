package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Json;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscription of one connection to one session: replays the events that the device has not
 * confirmed, then sends live ones. Open approvals are sent on every connection, resolved ones are
 * not replayed.
 */
final class SessionSubscription implements Broadcast.Listener, AutoCloseable {
    private static final int PAGE_SIZE = 200;

    private final SessionId session;
    private final Source source;
    private final Receiver device;
    private final Thread thread;
    private final CountDownLatch joined = new CountDownLatch(1);
    private volatile boolean closed;

    /** The source of the events. */
    record Source(
            Broadcasts broadcasts,
            SessionEvents events,
            Supplier<List<Approval>> openApprovals,
            Clock clock) {}

    /** The receiver of the frames. */
    record Receiver(
            DeviceLink link,
            Confirmations confirmations,
            SentRequests requests,
            Supplier<Set<Capability>> capabilities) {}

    SessionSubscription(SessionId session, long after, Source source, Receiver device) {
        this.session = session;
        this.source = source;
        this.device = device;
        this.thread = Thread.ofVirtual().name("gateway-follow").start(() -> catchUp(after));
    }

    /** Waits until live events reach the device, at most for {@code timeout}. */
    void awaitLive(Duration timeout) throws InterruptedException {
        joined.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void catchUp(long after) {
        try {
            var approvals = new OpenApprovals(source.openApprovals());
            long logged = source.events().lastSeq(session); // includes all of these approvals
            long seq = Math.min(after, logged);
            var mapper = source.broadcasts().mapper(session, seq);
            mapper.restartOpenMessage();
            while (!closed) {
                var broadcast = source.broadcasts().withBroadcast(session, current -> current);
                long until = broadcast.awaitSeq(logged);
                if (broadcast.isRemoved()) { // the log may be deleted already
                    send(mapper.removed(), null);
                    return;
                }
                seq = replay(mapper, seq, until, approvals);
                if (seq >= logged && join(mapper, seq, approvals)) {
                    joined.countDown();
                    leaveIfClosed();
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The subscription is closed.
        } catch (RuntimeException | Error e) { // any failure: disconnect, so that it reconnects
            System.getLogger("ash.gateway")
                    .log(System.Logger.Level.ERROR, "Subscription to " + session + " failed", e);
            failed();
        }
    }

    private long replay(FrameMapper mapper, long after, long until, OpenApprovals approvals)
            throws InterruptedException {
        long seq = after;
        while (seq < until && !closed) {
            long before = seq;
            seq = replayPage(mapper, seq, until, approvals);
            if (seq == before) {
                return until; // the session was removed meanwhile
            }
        }
        return seq;
    }

    private long replayPage(FrameMapper mapper, long after, long until, OpenApprovals approvals)
            throws InterruptedException {
        var last = new long[] {after};
        source.events()
                .read(
                        session,
                        after,
                        PAGE_SIZE,
                        event -> {
                            if (event.seq() > until || closed) {
                                return false;
                            }
                            last[0] = event.seq();
                            if (!approvals.isResolved(event)) {
                                send(mapper.map(event), event.turn());
                            }
                            device.confirmations().sent(session, event.seq());
                            device.link().awaitCapacity();
                            return true;
                        });
        return last[0];
    }

    private boolean join(FrameMapper mapper, long seq, OpenApprovals approvals) {
        return source.broadcasts()
                .withBroadcast(
                        session,
                        broadcast ->
                                broadcast.join(
                                        this,
                                        mapper,
                                        seq,
                                        missing -> {
                                            send(missing, null);
                                            send(frames(approvals.remaining()), null);
                                        }));
    }

    /** Maps open approvals that were sent on an earlier connection. */
    private List<TargetedFrame> frames(List<Approval> approvals) {
        var frames = new FrameCollector("");
        for (var approval : approvals) {
            try {
                var json = JsonObject.parse(new RawJson(Json.write(approval)));
                ApprovalFrames.addRequired(session, json, frames);
            } catch (MalformedJsonException e) {
                throw new IllegalStateException(e); // serialized above
            }
        }
        return frames.collected();
    }

    private void send(List<TargetedFrame> frames, @Nullable TurnId turn) {
        var now = source.clock().instant().toString();
        var capabilities = device.capabilities().get();
        for (var each : frames) {
            if (each.isFor(capabilities)) {
                device.link().send(each.frame().toJson(now));
                device.requests().answered(turn);
            }
        }
    }

    @Override
    public void sent(Broadcast.Batch batch) {
        var capabilities = device.capabilities().get();
        for (var line : batch.lines()) {
            if (line.frame().isFor(capabilities)) {
                device.link().send(line.text());
                device.requests().answered(line.turn());
            }
        }
        device.confirmations().sent(session, batch.lastSeq());
    }

    @Override
    public void removed(List<Broadcast.Line> last) {
        last.forEach(line -> device.link().send(line.text()));
    }

    @Override
    public void failed() {
        device.link().close("Reading the session failed; connect again");
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        source.broadcasts().leave(session, this);
    }

    /** Handles a close while joining, which did not find this listener. */
    private void leaveIfClosed() {
        if (closed) {
            source.broadcasts().leave(session, this);
        }
    }
}
