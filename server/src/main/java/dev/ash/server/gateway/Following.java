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
 * One device and one session: what the device has not confirmed, from the log, and then whatever
 * comes. Questions that are still open are asked on every connection; those that were answered
 * meanwhile are not asked any more.
 */
final class Following implements Broadcast.Listener, AutoCloseable {
    private static final int PAGE = 200;

    private final SessionId session;
    private final Source source;
    private final Device device;
    private final Thread thread;
    private volatile boolean closed;

    /** Where the story comes from. */
    record Source(
            Broadcasts broadcasts,
            SessionEvents events,
            Supplier<List<Approval>> open,
            Clock clock) {}

    /** Where it goes. */
    record Device(
            DeviceLink link,
            Confirmations confirmations,
            SentRequests requests,
            Supplier<Set<Capability>> capabilities) {}

    Following(SessionId session, long after, Source source, Device device) {
        this.session = session;
        this.source = source;
        this.device = device;
        this.thread = Thread.ofVirtual().name("gateway-follow").start(() -> catchUp(after));
    }

    private void catchUp(long after) {
        try {
            var questions = new OpenQuestions(source.open());
            long known = source.events().last(session); // all of those were asked up to here
            long seq = Math.min(after, known);
            var narrator = source.broadcasts().narrator(session, seq);
            narrator.toOneWhoComesBack();
            while (!closed) {
                var broadcast = source.broadcasts().with(session, each -> each); // or the next one
                long until = broadcast.lastSeq(known);
                if (broadcast.isRemoved()) { // there may be nothing left of the log
                    send(narrator.removed(), null);
                    return;
                }
                seq = tellLog(narrator, seq, until, questions);
                if (seq >= known && join(narrator, seq, questions)) {
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

    private long tellLog(Narrator narrator, long after, long until, OpenQuestions questions)
            throws InterruptedException {
        long seq = after;
        while (seq < until && !closed) {
            long before = seq;
            seq = tellPage(narrator, seq, until, questions);
            if (seq == before) {
                return until; // the session was removed meanwhile
            }
        }
        return seq;
    }

    private long tellPage(Narrator narrator, long after, long until, OpenQuestions questions)
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
                                send(narrator.tell(event), event.turn());
                            }
                            device.confirmations().sent(session, event.seq());
                            device.link().awaitRoom();
                            return true;
                        });
        return last[0];
    }

    private boolean join(Narrator narrator, long seq, OpenQuestions questions) {
        return source.broadcasts()
                .with(
                        session,
                        broadcast ->
                                broadcast.join(
                                        this,
                                        narrator,
                                        seq,
                                        missing -> {
                                            send(missing, null);
                                            send(asked(questions.left()), null);
                                        }));
    }

    /** Questions that the device was asked on an earlier connection. */
    private List<Told> asked(List<Approval> open) {
        var telling = new Telling("");
        for (var approval : open) {
            try {
                var json = JsonObject.parse(new RawJson(Json.write(approval)));
                ApprovalTexts.asked(session, json, telling);
            } catch (MalformedJsonException e) {
                throw new IllegalStateException(e); // we have just written it
            }
        }
        return telling.told();
    }

    private void send(List<Told> told, @Nullable TurnId turn) {
        var now = source.clock().instant().toString();
        var capabilities = device.capabilities().get();
        for (var each : told) {
            if (each.isFor(capabilities)) {
                device.link().send(each.frame().text(now));
                device.requests().answered(turn);
            }
        }
    }

    @Override
    public void told(Broadcast.Batch batch) {
        var capabilities = device.capabilities().get();
        for (var line : batch.lines()) {
            if (line.told().isFor(capabilities)) {
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
