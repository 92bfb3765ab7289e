package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.concurrent.KeyedExecutor;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceCursors;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.device.NotificationStore.Notification;
import dev.ash.server.device.SentRequestStore;
import dev.ash.server.gateway.DeviceMessage.AcknowledgeNotifications;
import dev.ash.server.gateway.DeviceMessage.AnswerQuestion;
import dev.ash.server.gateway.DeviceMessage.ChangePermissionMode;
import dev.ash.server.gateway.DeviceMessage.DecideApproval;
import dev.ash.server.gateway.DeviceMessage.EndSession;
import dev.ash.server.gateway.DeviceMessage.GitCommit;
import dev.ash.server.gateway.DeviceMessage.GitDiff;
import dev.ash.server.gateway.DeviceMessage.GitStatus;
import dev.ash.server.gateway.DeviceMessage.Interrupt;
import dev.ash.server.gateway.DeviceMessage.JoinSession;
import dev.ash.server.gateway.DeviceMessage.ListFiles;
import dev.ash.server.gateway.DeviceMessage.OfConnection;
import dev.ash.server.gateway.DeviceMessage.Prompt;
import dev.ash.server.gateway.DeviceMessage.ReadFile;
import dev.ash.server.gateway.DeviceMessage.ReadHistory;
import dev.ash.server.gateway.DeviceMessage.StartSession;
import dev.ash.server.gateway.DeviceMessage.Unknown;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Serves one connection of a device: its requests, and the sessions that it follows, each from
 * where the device last confirmed it.
 */
final class DeviceChannel implements Channel {
    private static final int MAX_QUEUES = 64;

    /** More than the published app stores while it is offline and sends after a reconnect. */
    private static final int MAX_REQUESTS = 1200;

    private static final long MAX_REQUEST_BYTES = 16 * 1024 * 1024;

    /** Of one connection; requests above them are answered with {@code RATE_LIMITED}. */
    static final KeyedExecutor.Limits LIMITS =
            KeyedExecutor.Limits.total(MAX_QUEUES, MAX_REQUESTS, MAX_REQUEST_BYTES);

    private final Device device;
    private final DeviceLink link;
    private final Services services;
    private final Confirmations confirmations;
    private final SentRequests requests;
    private final KeyedExecutor<String> queues = new KeyedExecutor<>("gateway-request", LIMITS);
    private final StartOrder starts;
    private final Map<SessionId, SessionSubscription> subscriptions = new ConcurrentHashMap<>();
    private volatile Set<Capability> capabilities;
    private boolean closed; // guarded by this

    /** What the channels of all devices share. */
    record Services(
            Subscriptions subscriptions,
            KnownSessions sessions,
            DeviceCursors cursors,
            SentRequestStore requests,
            NotificationStore notifications,
            ConnectedDevices connected,
            SessionMessages talk,
            ApprovalMessages approvals,
            GitMessages git,
            FileMessages files,
            Clock clock) {}

    /** Subscribes connections to sessions. */
    interface Subscriptions {
        SessionSubscription subscribe(
                Device device, SessionId session, long after, SessionSubscription.Receiver to);

        /** How far the log of a session goes. */
        long last(SessionId session);
    }

    DeviceChannel(Device device, DeviceLink link, Set<Capability> capabilities, Services services) {
        this.device = device;
        this.link = link;
        this.capabilities = Set.copyOf(capabilities);
        this.services = services;
        this.starts = new StartOrder(link::send);
        this.confirmations =
                new Confirmations(
                        link::ping,
                        (seen, kept) -> services.cursors().confirm(device.id(), seen, kept));
        this.requests = new SentRequests(device.id(), services.requests(), link, services.clock());
    }

    /** Replays missed events and notifications. */
    DeviceChannel open() {
        services.connected().add(this);
        services.cursors().all(device.id()).forEach(this::resume);
        services.notifications().of(device.id()).forEach(this::notify);
        return this;
    }

    private void resume(SessionId session, long after) {
        boolean hasSeenAll = services.subscriptions().last(session) <= after;
        if (hasSeenAll && services.sessions().isOver(device.tenant(), session)) {
            services.cursors().forget(device.id(), session);
        } else {
            follow(session, after);
        }
    }

    Device device() {
        return device;
    }

    boolean follows(SessionId session) {
        return subscriptions.containsKey(session);
    }

    synchronized void follow(SessionId session, long after) {
        if (!closed) {
            var to =
                    new SessionSubscription.Receiver(
                            link, confirmations, requests, () -> capabilities);
            subscriptions.computeIfAbsent(
                    session, _ -> services.subscriptions().subscribe(device, session, after, to));
        }
    }

    void send(GatewayFrame frame) {
        link.send(frame);
    }

    /** A session of the tenant has started, perhaps by a request of this very connection. */
    void started(GatewayFrame frame) {
        starts.started(frame);
    }

    void notify(Notification notification) {
        link.send(new GatewayFrame("notification", notification.id(), notification.payload()));
    }

    @Override
    public void capabilities(Set<Capability> declared) {
        capabilities = Set.copyOf(declared);
    }

    /** Requests that take a sandbox's time must not hold up the heartbeats behind them. */
    @Override
    public void receive(DeviceMessageType type, GatewayFrame request)
            throws MalformedJsonException {
        var frame =
                namesFollowedSession(request)
                        ? request
                        : SessionAliases.resolved(services.sessions(), device, request);
        int size = frame.payload().length();
        if (!queues.submit(type.queueKey(frame), size, () -> serve(type, frame))) {
            link.send(
                    ErrorFrames.of(
                            frame,
                            GatewayError.RATE_LIMITED,
                            "Too many requests at once; wait for answers before sending more"));
        }
    }

    /** Followed sessions are named by their ids already, which saves a lookup of their names. */
    private boolean namesFollowedSession(GatewayFrame request) throws MalformedJsonException {
        var name = request.fields().string("session_id").orElse("");
        return subscriptions.keySet().stream().anyMatch(id -> id.value().equals(name));
    }

    private void serve(DeviceMessageType type, GatewayFrame frame) {
        try {
            var capability = type.capability();
            if (capability.isPresent() && !capabilities.contains(capability.get())) {
                link.send(missing(capability.get(), frame));
                return;
            }
            var answer = answer(DeviceProtocol.parse(type, frame), frame);
            answer.ifPresent(each -> link.send(each.withId(frame.id())));
        } catch (MalformedJsonException | RuntimeException e) {
            link.send(ErrorFrames.of(frame, e));
        }
    }

    private static GatewayFrame missing(Capability capability, GatewayFrame frame) {
        return ErrorFrames.of(
                frame,
                GatewayError.BRIDGE_ERROR,
                "%s is for devices that say %s in client_capabilities"
                        .formatted(frame.type(), capability.wire()));
    }

    private Optional<GatewayFrame> answer(DeviceMessage message, GatewayFrame frame)
            throws MalformedJsonException {
        return switch (message) {
            case StartSession start -> {
                start(() -> services.talk().start(device, frame, start, requests), frame);
                yield Optional.empty();
            }
            case JoinSession(var session) -> {
                start(() -> services.talk().join(device, session), frame);
                yield Optional.empty();
            }
            case EndSession end -> {
                services.talk().end(device, end);
                yield Optional.empty();
            }
            case Prompt prompt -> {
                services.talk().prompt(device, frame, prompt, capabilities, requests);
                yield Optional.empty();
            }
            case Interrupt(var session) -> Optional.of(services.talk().interrupt(device, session));
            case ChangePermissionMode change ->
                    Optional.of(services.talk().permissionMode(device, change));
            case ReadHistory read -> Optional.of(services.talk().history(device, read));
            case DecideApproval decide ->
                    services.approvals().decide(device, frame, decide, capabilities);
            case AnswerQuestion answer -> services.approvals().answer(device, frame, answer);
            case GitStatus status -> Optional.of(services.git().status(device, status));
            case GitCommit commit -> Optional.of(services.git().commit(device, commit));
            case GitDiff diff -> Optional.of(services.git().diff(device, diff));
            case ListFiles list -> Optional.of(services.files().list(device, list));
            case ReadFile read -> Optional.of(services.files().read(device, read));
            case AcknowledgeNotifications(var ids) -> {
                services.notifications().acknowledge(device.id(), ids);
                yield Optional.empty();
            }
            case Unknown(var type) ->
                    Optional.of(
                            ErrorFrames.of(
                                    frame,
                                    GatewayError.BRIDGE_ERROR,
                                    "There is no message type \"%s\"".formatted(type)));
            case OfConnection other -> throw new IllegalStateException("not queued: " + other);
        };
    }

    /** The answer goes first, then what the session has to tell. */
    private void start(Supplier<SessionMessages.Started> action, GatewayFrame frame) {
        starts.begin();
        SessionMessages.Started started;
        try {
            started = action.get();
            var ready = started.ready().withId(frame.id());
            started.key()
                    .ifPresentOrElse(key -> requests.answer(ready, key), () -> link.send(ready));
        } finally {
            starts.end();
        }
        long after = services.cursors().of(device.id(), started.id());
        services.cursors().follow(device.id(), started.id());
        follow(started.id(), after);
    }

    @Override
    public void pong(long number) {
        if (!requests.pong(number)) {
            confirmations.pong(number);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        requests.close();
        services.connected().remove(this);
        subscriptions.values().forEach(SessionSubscription::close);
        subscriptions.clear();
    }
}
