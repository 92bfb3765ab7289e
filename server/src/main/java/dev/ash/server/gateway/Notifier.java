package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.concurrent.KeyedExecutor;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceCursors;
import dev.ash.server.device.Devices;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.device.NotificationStore.Notification;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.hooks.HookSession;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Notifies devices about sessions that none of their connections is subscribed to: all devices
 * about approvals, those that follow the session about failures and ends of turns. Runs
 * asynchronously to the writer of the log, in the order of the log.
 */
final class Notifier implements SessionEvents.Listener, AutoCloseable {
    /** The events that devices are notified of. */
    static final Set<EventType> TYPES =
            EnumSet.of(
                    EventType.APPROVAL_REQUIRED,
                    EventType.APPROVAL_RESOLVED,
                    EventType.ERROR,
                    EventType.DONE,
                    EventType.LIFECYCLE);

    private static final System.Logger LOG = System.getLogger("ash.gateway");

    /** The only key, so that notifications keep the order of the log across sessions. */
    private static final String ALL_SESSIONS = "all";

    private static final int MAX_PENDING = 100_000;
    private static final long MAX_PENDING_BYTES = 64 * 1024 * 1024;

    /** A notification above these limits is dropped and logged. */
    private static final KeyedExecutor.Limits LIMITS =
            KeyedExecutor.Limits.total(1, MAX_PENDING, MAX_PENDING_BYTES);

    private final Devices devices;
    private final DeviceCursors cursors;
    private final NotificationStore notifications;
    private final DeviceSessions sessions;
    private final ConnectedDevices connected;
    private final SessionEvents events;
    private final KeyedExecutor<String> queue = new KeyedExecutor<>("gateway-notifier", LIMITS);
    private final Set<TurnId> failedTurns =
            new HashSet<>(); // turns about to end; only used by tasks
    private volatile boolean closed;

    Notifier(
            Devices devices,
            DeviceCursors cursors,
            NotificationStore notifications,
            DeviceSessions sessions,
            ConnectedDevices connected,
            SessionEvents events) {
        this.devices = devices;
        this.cursors = cursors;
        this.notifications = notifications;
        this.sessions = sessions;
        this.connected = connected;
        this.events = events;
    }

    /** Must not block, because it runs on the writer's thread. */
    private void submit(long weight, Runnable task) {
        if (!closed && !queue.submit(ALL_SESSIONS, weight, () -> run(task))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Dropped a device notification: too many are pending");
        }
    }

    private void run(Runnable task) {
        if (closed) {
            return;
        }
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "Notifying devices failed", e);
        }
    }

    @Override
    public void onCommit(SessionId session, LoggedEvent event) {
        if (!devices.isAnyKnown()) {
            return; // most servers: saves several queries for each turn
        }
        submit(event.data().length(), () -> handle(session, event));
    }

    private void handle(SessionId session, LoggedEvent event) {
        try {
            var data = JsonObject.parse(event.data());
            switch (event.type()) {
                case APPROVAL_REQUIRED -> approvalRequired(session, data);
                case APPROVAL_RESOLVED -> notifications.withdraw(subject(data));
                case ERROR -> failed(session, event, data);
                case DONE -> finished(session, event);
                case LIFECYCLE -> {
                    if (data.string("action").orElse("").equals("created")) {
                        sessions.tenant(session).ifPresent(tenant -> started(tenant, session));
                    }
                }
                default -> {}
            }
        } catch (MalformedJsonException e) {
            LOG.log(System.Logger.Level.DEBUG, "Cannot notify devices about a malformed event", e);
        }
    }

    private static String subject(JsonObject data) throws MalformedJsonException {
        var approval = data.object("approval").orElse(data);
        return "approval " + approval.string("id").orElse("");
    }

    private void approvalRequired(SessionId session, JsonObject data)
            throws MalformedJsonException {
        var tenant = sessions.tenant(session);
        if (tenant.isEmpty()) {
            return;
        }
        var approval = data.object("approval").orElse(data);
        var text =
                NotificationText.approvalRequired(sessions.find(tenant.get(), session), approval);
        notify(tenant.get(), session, paired(tenant.get()), subject(data), () -> text);
    }

    private void failed(SessionId session, LoggedEvent event, JsonObject data)
            throws MalformedJsonException {
        if (event.turn() != null) {
            failedTurns.add(event.turn());
        }
        var error =
                DeviceErrorTexts.ofLogged(
                        data.string("error").orElse("Open the session to see why"));
        notifyFollowers(session, summary -> NotificationText.failed(summary, error));
    }

    private void finished(SessionId session, LoggedEvent event) {
        if (event.turn() != null && failedTurns.remove(event.turn())) {
            return; // the failure was notified
        }
        notifyFollowers(
                session,
                summary ->
                        NotificationText.finished(summary, TurnOutcome.of(events, session, event)));
    }

    private void notifyFollowers(
            SessionId session, Function<DeviceSessions.Summary, NotificationText> text) {
        var followers = cursors.followers(session);
        if (followers.isEmpty()) {
            return;
        }
        sessions.tenant(session)
                .ifPresent(
                        tenant ->
                                notify(
                                        tenant,
                                        session,
                                        followers,
                                        "outcome " + session.value(),
                                        () -> text.apply(sessions.find(tenant, session))));
    }

    private Set<String> paired(TenantId tenant) {
        return devices.list(tenant).stream()
                .filter(Device::isPaired)
                .map(Device::id)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Calls {@code text} only if there is a device to notify. */
    private void notify(
            TenantId tenant,
            SessionId session,
            Set<String> candidates,
            String subject,
            Supplier<NotificationText> text) {
        var paired = paired(tenant);
        var recipients =
                candidates.stream()
                        .filter(paired::contains)
                        .filter(device -> !connected.follows(device, session))
                        .toList();
        if (recipients.isEmpty()) {
            return;
        }
        var id = UUID.randomUUID().toString();
        var notification = new Notification(id, session, subject, text.get().payload(id, session));
        notifications.save(recipients, notification);
        recipients.forEach(
                device -> connected.of(device).forEach(channel -> channel.notify(notification)));
    }

    private void started(TenantId tenant, SessionId session) {
        connected.of(tenant).forEach(channel -> channel.sendStarted(startedFrame(session)));
    }

    private static GatewayFrame startedFrame(SessionId session) {
        return GatewayFrame.of(
                "session_started", JsonWriter.object().put("session_id", session.value()));
    }

    /**
     * Makes every device of the tenant follow a terminal session, whether it is connected or not.
     */
    void followTerminal(HookSession session) {
        submit(
                0,
                () -> {
                    var followers = cursors.followers(session.id());
                    var newFollowers =
                            paired(session.tenant()).stream()
                                    .filter(device -> !followers.contains(device))
                                    .toList();
                    if (newFollowers.isEmpty() || !session.isActive()) {
                        return;
                    }
                    newFollowers.forEach(device -> cursors.follow(device, session.id()));
                    for (var channel : connected.of(session.tenant())) {
                        channel.send(startedFrame(session.id()));
                        channel.follow(session.id(), 0);
                    }
                });
    }

    @Override
    public void close() {
        closed = true;
    }
}
