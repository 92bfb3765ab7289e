package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.Json;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

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
            DeviceLink link, Confirmations confirmations, Supplier<Set<Capability>> capabilities) {}

    Following(SessionId session, long after, Source source, Device device) {
        this.session = session;
        this.source = source;
        this.device = device;
        this.thread = Thread.ofVirtual().name("gateway-follow").start(() -> catchUp(after));
    }

    private void catchUp(long after) {
        try {
            var narrator = source.broadcasts().narrator(session);
            var open = openQuestions();
            long seq = Math.min(after, told());
            while (!closed) {
                seq = tellLog(narrator, seq, told(), open);
                if (join(narrator, seq, open)) {
                    leaveIfClosed();
                    return;
                }
            }
        } catch (InterruptedException e) {
            // The device has gone.
        } catch (RuntimeException e) {
            System.getLogger("ash.gateway")
                    .log(System.Logger.Level.ERROR, "a device cannot follow " + session, e);
            device.link().close("The session cannot be read; connect again");
        }
    }

    /** How far others have been told; asked anew each time, as broadcasts end and begin. */
    private long told() {
        return source.broadcasts().with(session, Broadcast::lastSeq);
    }

    /** By id. */
    private Map<String, Approval> openQuestions() {
        var open = new HashMap<String, Approval>();
        source.open().get().forEach(each -> open.put(each.id(), each));
        return open;
    }

    private long tellLog(Narrator narrator, long after, long until, Map<String, Approval> open)
            throws InterruptedException {
        long seq = after;
        while (seq < until && !closed) {
            var told = new ArrayList<Told>();
            for (var event : source.events().read(session, seq, PAGE)) {
                if (event.seq() <= until) {
                    seq = event.seq();
                    if (isOver(event, open)) {
                        continue;
                    }
                    told.addAll(narrator.tell(event));
                }
            }
            send(told);
            device.confirmations().sent(session, seq);
            device.link().awaitRoom();
        }
        return seq;
    }

    /** Whether it asks what has been answered; an open question is not asked twice either. */
    private static boolean isOver(LoggedEvent event, Map<String, Approval> open) {
        if (event.type() != EventType.APPROVAL_REQUIRED) {
            return false;
        }
        try {
            var approval = JsonObject.parse(event.data()).object("approval");
            var id = approval.isEmpty() ? "" : approval.get().string("id").orElse("");
            return open.remove(id) == null;
        } catch (MalformedJsonException e) {
            return true;
        }
    }

    private boolean join(Narrator narrator, long seq, Map<String, Approval> open) {
        return source.broadcasts()
                .with(
                        session,
                        broadcast ->
                                broadcast.join(
                                        this,
                                        narrator,
                                        seq,
                                        missing -> {
                                            send(missing);
                                            send(asked(open));
                                        }));
    }

    /** Questions that the device was asked on an earlier connection. */
    private List<Told> asked(Map<String, Approval> open) {
        var telling = new Telling("");
        for (var approval : open.values()) {
            try {
                var json = JsonObject.parse(new RawJson(Json.write(approval)));
                ApprovalTexts.asked(session, json, telling);
            } catch (MalformedJsonException e) {
                throw new IllegalStateException(e); // we have just written it
            }
        }
        return telling.told();
    }

    private void send(List<Told> told) {
        var now = source.clock().instant().toString();
        var capabilities = device.capabilities().get();
        for (var each : told) {
            if (each.isFor(capabilities)) {
                device.link().send(each.frame().text(now));
            }
        }
    }

    @Override
    public void told(Broadcast.Batch batch) {
        var capabilities = device.capabilities().get();
        for (var line : batch.lines()) {
            if (line.told().isFor(capabilities)) {
                device.link().send(line.text());
            }
        }
        device.confirmations().sent(session, batch.lastSeq());
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
