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
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves one connection of a device: executes its requests, and subscribes it to the sessions that
 * it follows, each from the last event that the device has confirmed.
 */
final class DeviceChannel implements Channel {
    private static final int MAX_QUEUES = 64;
    private static final Duration LIVE_TIMEOUT = Duration.ofSeconds(2);

    /** Exceeds the offline queue of the published app, which it sends after a reconnect. */
    private static final int MAX_REQUESTS = 1200;

    private static final long MAX_REQUEST_BYTES = 16 * 1024 * 1024;

    /** Limits of one connection; requests above them are answered with {@code RATE_LIMITED}. */
    static final KeyedExecutor.Limits LIMITS =
            KeyedExecutor.Limits.total(MAX_QUEUES, MAX_REQUESTS, MAX_REQUEST_BYTES);

    private final Device device;
    private final DeviceLink link;
    private final Services services;
    private final Pings pings;
    private final Confirmations confirmations;
    private final SentRequests requests;
    private final KeyedExecutor<String> queues = new KeyedExecutor<>("gateway-request", LIMITS);
    private final StartOrder starts;
    private final Map<SessionId, SessionSubscription> subscriptions = new ConcurrentHashMap<>();
    private volatile Set<Capability> capabilities;
    private boolean closed; // guarded by this

    /** The services that all channels share. */
    record Services(
            Subscriptions subscriptions,
            DeviceSessions sessions,
            DeviceCursors cursors,
            SentRequestStore requests,
            NotificationStore notifications,
            ConnectedDevices connected,
            SessionRequestHandler sessionRequests,
            ApprovalRequestHandler approvalRequests,
            GitRequestHandler gitRequests,
            FileRequestHandler fileRequests,
            Clock clock) {}

    /** Subscribes connections to sessions. */
    interface Subscriptions {
        SessionSubscription subscribe(
                Device device, SessionId session, long after, SessionSubscription.Receiver to);

        /** Returns the number of the last event of a session. */
        long lastSeq(SessionId session);
    }

    DeviceChannel(Device device, DeviceLink link, Set<Capability> capabilities, Services services) {
        this.device = device;
        this.link = link;
        this.capabilities = Set.copyOf(capabilities);
        this.services = services;
        this.starts = new StartOrder(link::send);
        this.pings = new Pings(link::ping);
        this.confirmations =
                new Confirmations(
                        pings::send,
                        (received, onWritten) ->
                                services.cursors().confirm(device.id(), received, onWritten));
        this.requests =
                new SentRequests(device.id(), services.requests(), link, pings, services.clock());
    }

    /** Starts to replay missed events and notifications. */
    DeviceChannel open() {
        services.connected().add(this);
        services.cursors().cursors(device.id()).forEach(this::resume);
        services.notifications().list(device.id()).forEach(this::notify);
        return this;
    }

    private void resume(SessionId session, long after) {
        boolean hasConfirmedAll = services.subscriptions().lastSeq(session) <= after;
        if (hasConfirmedAll && services.sessions().hasEnded(device.tenant(), session)) {
            services.cursors().unfollow(device.id(), session);
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

    /** Returns the subscription, or null if this channel is closed. */
    synchronized @Nullable SessionSubscription follow(SessionId session, long after) {
        if (closed) {
            return null;
        }
        var to =
                new SessionSubscription.Receiver(link, confirmations, requests, () -> capabilities);
        return subscriptions.computeIfAbsent(
                session, _ -> services.subscriptions().subscribe(device, session, after, to));
    }

    void send(GatewayFrame frame) {
        link.send(frame);
    }

    /** Sends {@code session_started}, after the answer if this connection started the session. */
    void sendStarted(GatewayFrame frame) {
        starts.send(frame);
    }

    void notify(Notification notification) {
        link.send(new GatewayFrame("notification", notification.id(), notification.payload()));
    }

    @Override
    public void setCapabilities(Set<Capability> declared) {
        capabilities = Set.copyOf(declared);
    }

    /** Queues a request: it may wait for a sandbox, and must not delay later heartbeats. */
    @Override
    public void receive(DeviceMessageType type, GatewayFrame request)
            throws MalformedJsonException {
        var frame =
                hasIdOfFollowedSession(request)
                        ? request
                        : SessionAliases.resolve(services.sessions(), device, request);
        int size = frame.payload().length();
        if (!queues.submit(type.queueKey(frame), size, () -> serve(type, frame))) {
            link.send(
                    ErrorFrames.of(
                            frame,
                            GatewayError.RATE_LIMITED,
                            "Too many pending requests; wait for answers before sending more"));
        }
    }

    /** Returns whether session_id is the id of a followed session, which saves an alias lookup. */
    private boolean hasIdOfFollowedSession(GatewayFrame request) throws MalformedJsonException {
        var name = request.fields().string("session_id").orElse("");
        return subscriptions.keySet().stream().anyMatch(id -> id.value().equals(name));
    }

    private void serve(DeviceMessageType type, GatewayFrame frame) {
        try {
            var capability = type.capability();
            if (capability.isPresent() && !capabilities.contains(capability.get())) {
                link.send(missingCapability(capability.get(), frame));
                return;
            }
            var answer = answer(DeviceProtocol.parse(type, frame), frame);
            answer.ifPresent(response -> link.send(response.withId(frame.id())));
        } catch (MalformedJsonException | RuntimeException e) {
            link.send(ErrorFrames.of(frame, e));
        }
    }

    private static GatewayFrame missingCapability(Capability capability, GatewayFrame frame) {
        return ErrorFrames.of(
                frame,
                GatewayError.BRIDGE_ERROR,
                "%s requires %s in client_capabilities".formatted(frame.type(), capability.wire()));
    }

    private Optional<GatewayFrame> answer(DeviceMessage message, GatewayFrame frame)
            throws MalformedJsonException {
        return switch (message) {
            case StartSession start -> {
                start(
                        () -> services.sessionRequests().start(device, frame, start, requests),
                        frame);
                yield Optional.empty();
            }
            case JoinSession(var session) -> {
                start(() -> services.sessionRequests().join(device, session), frame);
                yield Optional.empty();
            }
            case EndSession end -> {
                services.sessionRequests().end(device, end);
                yield Optional.empty();
            }
            case Prompt prompt -> {
                services.sessionRequests().prompt(device, frame, prompt, capabilities, requests);
                yield Optional.empty();
            }
            case Interrupt(var session) ->
                    Optional.of(services.sessionRequests().interrupt(device, session));
            case ChangePermissionMode change ->
                    Optional.of(services.sessionRequests().setPermissionMode(device, change));
            case ReadHistory read -> Optional.of(services.sessionRequests().history(device, read));
            case DecideApproval decide ->
                    services.approvalRequests().decide(device, frame, decide, capabilities);
            case AnswerQuestion answer -> services.approvalRequests().answer(device, frame, answer);
            case GitStatus status -> Optional.of(services.gitRequests().status(device, status));
            case GitCommit commit -> Optional.of(services.gitRequests().commit(device, commit));
            case GitDiff diff -> Optional.of(services.gitRequests().diff(device, diff));
            case ListFiles list -> Optional.of(services.fileRequests().list(device, list));
            case ReadFile read -> Optional.of(services.fileRequests().read(device, read));
            case AcknowledgeNotifications(var ids) -> {
                services.notifications().acknowledge(device.id(), ids);
                yield Optional.empty();
            }
            case Unknown(var type) ->
                    Optional.of(
                            ErrorFrames.of(
                                    frame,
                                    GatewayError.BRIDGE_ERROR,
                                    "Unknown message type \"%s\"".formatted(type)));
            case OfConnection other -> throw new IllegalStateException("not queued: " + other);
        };
    }

    /** Sends the answer before any events of the session. */
    private void start(Supplier<SessionRequestHandler.Started> action, GatewayFrame frame) {
        starts.begin();
        SessionRequestHandler.Started started;
        try {
            started = action.get();
            followNew(started.id());
            var ready = started.ready().withId(frame.id());
            started.key()
                    .ifPresentOrElse(key -> requests.answer(ready, key), () -> link.send(ready));
        } finally {
            starts.end();
        }
        long after = services.cursors().cursor(device.id(), started.id());
        services.cursors().follow(device.id(), started.id());
        follow(started.id(), after);
    }

    /**
     * Follows a session whose log has only its creation, before the device knows its id: the start
     * of the first answer is a transient event, which a later subscription would miss.
     */
    private void followNew(SessionId session) {
        if (services.subscriptions().lastSeq(session) > 1) {
            return; // its replay must follow the answer
        }
        services.cursors().follow(device.id(), session);
        var subscription = follow(session, 0);
        try {
            if (subscription != null) {
                subscription.awaitLive(LIVE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void pong(long number) {
        pings.pong(number);
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
