package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.concurrent.KeyedExecutor;
import dev.ash.server.device.Cursors;
import dev.ash.server.device.Device;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.device.NotificationStore.Notification;
import dev.ash.server.device.SentRequestStore;
import java.time.Clock;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Serves one connection of a device: its requests, and the sessions that it follows, each from
 * where the device last confirmed it.
 */
final class DeviceDesk implements DeviceConnection.Desk {
    private static final Set<String> LOOKING =
            Set.of("git_status_request", "git_diff", "file_list", "file_read", "history_request");

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
    private final Map<SessionId, Following> followings = new ConcurrentHashMap<>();
    private volatile Set<Capability> capabilities;
    private boolean closed; // guarded by this

    /** What the desks of all devices share. */
    record Services(
            Follower follower,
            KnownSessions sessions,
            Cursors cursors,
            SentRequestStore requests,
            NotificationStore notifications,
            ConnectedDevices connected,
            SessionMessages talk,
            ApprovalMessages approvals,
            GitMessages git,
            FileMessages files,
            Clock clock) {}

    /** Makes devices follow sessions. */
    interface Follower {
        Following follow(Device device, SessionId session, long after, Following.Device to);

        /** How far the log of a session goes. */
        long last(SessionId session);
    }

    DeviceDesk(Device device, DeviceLink link, Set<Capability> capabilities, Services services) {
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

    /** Begins with what was missed. */
    DeviceDesk open() {
        services.connected().add(this);
        services.cursors().all(device.id()).forEach(this::goOn);
        services.notifications().of(device.id()).forEach(this::notify);
        return this;
    }

    private void goOn(SessionId session, long after) {
        boolean hasSeenAll = services.follower().last(session) <= after;
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
        return followings.containsKey(session);
    }

    synchronized void follow(SessionId session, long after) {
        if (!closed) {
            var to = new Following.Device(link, confirmations, requests, () -> capabilities);
            followings.computeIfAbsent(
                    session, _ -> services.follower().follow(device, session, after, to));
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
    public void capabilities(Set<Capability> said) {
        capabilities = Set.copyOf(said);
    }

    /** Requests that take a sandbox's time must not hold up the heartbeats behind them. */
    @Override
    public void take(GatewayFrame request) throws MalformedJsonException {
        var frame = SessionAliases.resolved(services.sessions(), device, request);
        if (!queues.submit(queue(frame), frame.payload().length(), () -> serve(frame))) {
            link.send(
                    ErrorFrames.of(
                            frame,
                            GatewayError.RATE_LIMITED,
                            "Too many requests at once; wait for answers before sending more"));
        }
    }

    /** What changes a session happens in the order in which it was said; looking may overtake. */
    private static String queue(GatewayFrame frame) throws MalformedJsonException {
        var session = frame.fields().string("session_id").orElse("");
        return LOOKING.contains(frame.type()) ? "look " + UUID.randomUUID() : "act " + session;
    }

    private void serve(GatewayFrame frame) {
        try {
            var answer = answer(frame, frame.fields());
            if (answer != null) {
                link.send(answer.withId(frame.id()));
            }
        } catch (MalformedJsonException | RuntimeException e) {
            link.send(ErrorFrames.of(frame, e));
        }
    }

    private @Nullable GatewayFrame answer(GatewayFrame frame, JsonObject fields)
            throws MalformedJsonException {
        if (!Requests.types().contains(frame.type())) {
            return ErrorFrames.of(
                    frame,
                    GatewayError.BRIDGE_ERROR,
                    "There is no message type \"%s\"".formatted(frame.type()));
        }
        var needed = Requests.needed(frame.type());
        if (needed.isPresent() && !capabilities.contains(needed.get())) {
            return ErrorFrames.of(
                    frame,
                    GatewayError.BRIDGE_ERROR,
                    "%s is for devices that say %s in client_capabilities"
                            .formatted(frame.type(), needed.get().wire()));
        }
        return switch (frame.type()) {
            case "session_start" -> start(frame);
            case "session_end" -> services.talk().end(device, fields);
            case "message" -> services.talk().prompt(device, frame, capabilities, requests);
            case "interrupt" -> services.talk().interrupt(device, fields);
            case "permission_mode" -> services.talk().permissionMode(device, fields);
            case "history_request" -> services.talk().history(device, fields);
            case "approval_response" -> services.approvals().decide(device, frame, capabilities);
            case "question_response" -> services.approvals().answer(device, frame);
            case "plan_review_response" -> services.approvals().decide(device, frame, capabilities);
            case "git_status_request" -> services.git().status(device, session(fields));
            case "git_commit" -> services.git().commit(device, session(fields), fields);
            case "git_diff" -> services.git().diff(device, session(fields), fields);
            case "file_list" -> services.files().list(device, session(fields), fields);
            case "file_read" -> services.files().read(device, session(fields), fields);
            case "notification_ack" -> acknowledge(fields);
            default -> throw new IllegalStateException("not served: " + frame.type());
        };
    }

    /** Whatever is not named as sessions are is none. */
    static SessionId session(JsonObject fields) throws MalformedJsonException {
        var id = fields.requireString("session_id");
        try {
            return new SessionId(id);
        } catch (ApiException e) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_FOUND, "There is no session \"%s\"".formatted(id), e);
        }
    }

    /** The answer goes first, then what the session has to tell. */
    private @Nullable GatewayFrame start(GatewayFrame frame) throws MalformedJsonException {
        starts.begin();
        SessionMessages.Started started;
        try {
            started = services.talk().start(device, frame, requests);
            var ready = started.ready().withId(frame.id());
            started.key()
                    .ifPresentOrElse(key -> requests.answer(ready, key), () -> link.send(ready));
        } finally {
            starts.end();
        }
        long after = services.cursors().of(device.id(), started.id());
        services.cursors().follow(device.id(), started.id());
        follow(started.id(), after);
        return null;
    }

    private @Nullable GatewayFrame acknowledge(JsonObject fields) throws MalformedJsonException {
        services.notifications().acknowledge(device.id(), fields.strings("notification_ids"));
        return null;
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
        followings.values().forEach(Following::close);
        followings.clear();
    }
}
