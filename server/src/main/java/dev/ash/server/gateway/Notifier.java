package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.Cursors;
import dev.ash.server.device.Device;
import dev.ash.server.device.Devices;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.device.NotificationStore.Notification;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.hooks.HookSession;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Tells devices of what happens in sessions that they do not follow at the moment: questions to all
 * of them, failures and ends of turns to those that would have seen them. Runs behind the log, on a
 * thread of its own.
 */
final class Notifier implements SessionEvents.Listener, AutoCloseable {
    private static final System.Logger LOG = System.getLogger("ash.gateway");

    private final Devices devices;
    private final Cursors cursors;
    private final NotificationStore notifications;
    private final KnownSessions sessions;
    private final ConnectedDevices connected;
    private final SessionEvents events;
    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final Set<TurnId> failed = new HashSet<>(); // turns that are about to end; the thread's
    private final Thread thread;

    Notifier(
            Devices devices,
            Cursors cursors,
            NotificationStore notifications,
            KnownSessions sessions,
            ConnectedDevices connected,
            SessionEvents events) {
        this.devices = devices;
        this.cursors = cursors;
        this.notifications = notifications;
        this.sessions = sessions;
        this.connected = connected;
        this.events = events;
        this.thread = Thread.ofVirtual().name("gateway-notifier").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                var next = queue.take();
                try {
                    next.run();
                } catch (RuntimeException e) {
                    LOG.log(System.Logger.Level.WARNING, "devices were not notified", e);
                }
            }
        } catch (InterruptedException e) {
            // The gateway closes.
        }
    }

    @Override
    public void committed(SessionId session, LoggedEvent event) {
        switch (event.type()) {
            case APPROVAL_REQUIRED, APPROVAL_RESOLVED, ERROR, DONE, LIFECYCLE ->
                    queue.add(() -> tell(session, event));
            default -> {}
        }
    }

    private void tell(SessionId session, LoggedEvent event) {
        var tenant = sessions.tenant(session);
        if (tenant.isEmpty()) {
            return;
        }
        try {
            var data = JsonObject.parse(event.data());
            switch (event.type()) {
                case APPROVAL_REQUIRED -> asked(tenant.get(), session, data);
                case APPROVAL_RESOLVED -> notifications.withdraw(subject(data));
                case ERROR -> failed(tenant.get(), session, event, data);
                case DONE -> finished(tenant.get(), session, event);
                case LIFECYCLE -> {
                    if (data.string("action").orElse("").equals("created")) {
                        started(tenant.get(), session);
                    }
                }
                default -> {}
            }
        } catch (MalformedJsonException e) {
            LOG.log(System.Logger.Level.DEBUG, "an event that nobody can be told of", e);
        }
    }

    private static String subject(JsonObject data) throws MalformedJsonException {
        var approval = data.object("approval").orElse(data);
        return "approval " + approval.string("id").orElse("");
    }

    private void asked(TenantId tenant, SessionId session, JsonObject data)
            throws MalformedJsonException {
        var approval = data.object("approval").orElse(data);
        var text = NotificationText.asked(sessions.find(tenant, session), approval);
        notify(tenant, session, paired(tenant), subject(data), () -> text);
    }

    private void failed(TenantId tenant, SessionId session, LoggedEvent event, JsonObject data)
            throws MalformedJsonException {
        if (event.turn() != null) {
            failed.add(event.turn());
        }
        var error =
                DeviceTexts.ofLogged(data.string("error").orElse("Open the session to see why"));
        notify(
                tenant,
                session,
                cursors.followers(session),
                "outcome " + session.value(),
                () -> NotificationText.failed(sessions.find(tenant, session), error));
    }

    private void finished(TenantId tenant, SessionId session, LoggedEvent event) {
        if (event.turn() != null && failed.remove(event.turn())) {
            return; // which was told
        }
        notify(
                tenant,
                session,
                cursors.followers(session),
                "outcome " + session.value(),
                () ->
                        NotificationText.finished(
                                sessions.find(tenant, session),
                                TurnOutcome.of(events, session, event)));
    }

    private Set<String> paired(TenantId tenant) {
        return devices.list(tenant).stream()
                .filter(Device::isPaired)
                .map(Device::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** {@code text} is made only if there is a device to notify. */
    private void notify(
            TenantId tenant,
            SessionId session,
            Set<String> candidates,
            String subject,
            Supplier<NotificationText> text) {
        var paired = paired(tenant);
        var whom =
                candidates.stream()
                        .filter(paired::contains)
                        .filter(device -> !connected.follows(device, session))
                        .toList();
        if (whom.isEmpty()) {
            return;
        }
        var id = UUID.randomUUID().toString();
        var notification = new Notification(id, session, subject, text.get().payload(id, session));
        notifications.keep(whom, notification);
        whom.forEach(device -> connected.of(device).forEach(desk -> desk.notify(notification)));
    }

    private void started(TenantId tenant, SessionId session) {
        connected.of(tenant).forEach(desk -> desk.started(startedFrame(session)));
    }

    private static GatewayFrame startedFrame(SessionId session) {
        return GatewayFrame.of(
                "session_started", JsonWriter.object().put("session_id", session.value()));
    }

    /** Every device follows what goes on in terminals, whether it is connected or not. */
    void terminal(HookSession session) {
        queue.add(
                () -> {
                    var known = cursors.followers(session.id());
                    var strangers =
                            paired(session.tenant()).stream()
                                    .filter(device -> !known.contains(device))
                                    .toList();
                    if (strangers.isEmpty() || !session.isActive()) {
                        return;
                    }
                    strangers.forEach(device -> cursors.follow(device, session.id()));
                    for (var desk : connected.of(session.tenant())) {
                        desk.send(startedFrame(session.id()));
                        desk.follow(session.id(), 0);
                    }
                });
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
