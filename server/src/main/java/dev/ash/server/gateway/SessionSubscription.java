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
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscription of one connection to one session: replays the events that the device has not
 * confirmed, then sends live ones. Open questions are sent on every connection, answered ones are
 * not.
 */
final class SessionSubscription implements Broadcast.Listener, AutoCloseable {
    private static final int PAGE = 200;

    private final SessionId session;
    private final Source source;
    private final Receiver device;
    private final Thread thread;
    private volatile boolean closed;

    /** Where the events come from. */
    record Source(
            Broadcasts broadcasts,
            SessionEvents events,
            Supplier<List<Approval>> open,
            Clock clock) {}

    /** Where the frames go. */
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

    private void catchUp(long after) {
        try {
            var questions = new OpenApprovals(source.open());
            long known = source.events().lastSeq(session); // all of those were asked up to here
            long seq = Math.min(after, known);
            var mapper = source.broadcasts().mapper(session, seq);
            mapper.restartOpenMessage();
            while (!closed) {
                var broadcast = source.broadcasts().with(session, each -> each); // or the next one
                long until = broadcast.lastSeq(known);
                if (broadcast.isRemoved()) { // there may be nothing left of the log
                    send(mapper.removed(), null);
                    return;
                }
                seq = replay(mapper, seq, until, questions);
                if (seq >= known && join(mapper, seq, questions)) {
                    leaveIfClosed();
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The device has gone.
        } catch (RuntimeException | Error e) { // whatever it is, the device must not wait for ever
            System.getLogger("ash.gateway")
                    .log(System.Logger.Level.ERROR, "a device cannot follow " + session, e);
            failed();
        }
    }

    private long replay(FrameMapper mapper, long after, long until, OpenApprovals questions)
            throws InterruptedException {
        long seq = after;
        while (seq < until && !closed) {
            long before = seq;
            seq = replayPage(mapper, seq, until, questions);
            if (seq == before) {
                return until; // the session was removed meanwhile
            }
        }
        return seq;
    }

    private long replayPage(FrameMapper mapper, long after, long until, OpenApprovals questions)
            throws InterruptedException {
        var last = new long[] {after};
        source.events()
                .read(
                        session,
                        after,
                        PAGE,
                        event -> {
                            if (event.seq() > until || closed) {
                                return false;
                            }
                            last[0] = event.seq();
                            if (!questions.isOver(event)) {
                                send(mapper.map(event), event.turn());
                            }
                            device.confirmations().sent(session, event.seq());
                            device.link().awaitRoom();
                            return true;
                        });
        return last[0];
    }

    private boolean join(FrameMapper mapper, long seq, OpenApprovals questions) {
        return source.broadcasts()
                .with(
                        session,
                        broadcast ->
                                broadcast.join(
                                        this,
                                        mapper,
                                        seq,
                                        missing -> {
                                            send(missing, null);
                                            send(asked(questions.left()), null);
                                        }));
    }

    /** Questions that the device was asked on an earlier connection. */
    private List<TargetedFrame> asked(List<Approval> open) {
        var frames = new FrameCollector("");
        for (var approval : open) {
            try {
                var json = JsonObject.parse(new RawJson(Json.write(approval)));
                ApprovalTexts.asked(session, json, frames);
            } catch (MalformedJsonException e) {
                throw new IllegalStateException(e); // we have just written it
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
        device.link().close("The session cannot be read; connect again");
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        source.broadcasts().leave(session, this);
    }

    /** The device may have gone in the very moment. */
    private void leaveIfClosed() {
        if (closed) {
            source.broadcasts().leave(session, this);
        }
    }
}
