package dev.ash.server.gateway;

import static dev.ash.server.gateway.DeviceMessageType.Ordering.BY_SESSION;
import static dev.ash.server.gateway.DeviceMessageType.Ordering.ON_CONNECTION;
import static dev.ash.server.gateway.DeviceMessageType.Ordering.UNORDERED;
import static dev.ash.server.gateway.DeviceMessageType.Stage.ACKNOWLEDGED;
import static dev.ash.server.gateway.DeviceMessageType.Stage.ADMITTED;
import static dev.ash.server.gateway.DeviceMessageType.Stage.OPENED;
import static dev.ash.server.identity.Scope.APPROVE;
import static dev.ash.server.identity.Scope.READ;
import static dev.ash.server.identity.Scope.RUN;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The types of messages from devices: name on the wire, stage from which it is accepted, required
 * scopes and capability, and ordering. {@link DeviceMessage} has the fields of each type.
 */
public enum DeviceMessageType {
    HEARTBEAT_PING("heartbeat_ping", OPENED, Set.of(), ON_CONNECTION),
    AUTH("auth", OPENED, Set.of(), ON_CONNECTION),

    HEALTH_CHECK("health_check", ADMITTED, Set.of(READ), ON_CONNECTION),
    ACKNOWLEDGE_WARNING("acknowledge_warning", ADMITTED, Set.of(READ), ON_CONNECTION),
    NOTIFICATION_ACK("notification_ack", ADMITTED, Set.of(READ), BY_SESSION),

    START_SESSION("session_start", ACKNOWLEDGED, Set.of(RUN), BY_SESSION),
    /** A {@code session_start} with {@code resume}; only a device with RUN resumes the session. */
    JOIN_SESSION("session_start", ACKNOWLEDGED, Set.of(READ), BY_SESSION),
    END_SESSION("session_end", ACKNOWLEDGED, Set.of(RUN), BY_SESSION),
    PROMPT("message", ACKNOWLEDGED, Set.of(RUN), BY_SESSION),
    INTERRUPT("interrupt", ACKNOWLEDGED, Set.of(RUN), Capability.INTERRUPT, BY_SESSION),
    /** Requires both scopes: turning approvals off is equivalent to approving all of them. */
    PERMISSION_MODE(
            "permission_mode",
            ACKNOWLEDGED,
            Set.of(RUN, APPROVE),
            Capability.PERMISSION_MODE,
            BY_SESSION),
    HISTORY_REQUEST("history_request", ACKNOWLEDGED, Set.of(READ), Capability.HISTORY, UNORDERED),

    APPROVAL_RESPONSE("approval_response", ACKNOWLEDGED, Set.of(APPROVE), BY_SESSION),
    PLAN_REVIEW_RESPONSE(
            "plan_review_response",
            ACKNOWLEDGED,
            Set.of(APPROVE),
            Capability.QUESTIONS,
            BY_SESSION),
    QUESTION_RESPONSE(
            "question_response", ACKNOWLEDGED, Set.of(APPROVE), Capability.QUESTIONS, BY_SESSION),

    GIT_STATUS_REQUEST("git_status_request", ACKNOWLEDGED, Set.of(READ), UNORDERED),
    GIT_COMMIT("git_commit", ACKNOWLEDGED, Set.of(RUN), BY_SESSION),
    GIT_DIFF("git_diff", ACKNOWLEDGED, Set.of(READ), UNORDERED),
    FILE_LIST("file_list", ACKNOWLEDGED, Set.of(READ), UNORDERED),
    FILE_READ("file_read", ACKNOWLEDGED, Set.of(READ), UNORDERED),

    /** Any other type; checked like a request, so that errors about the connection come first. */
    UNKNOWN("", ACKNOWLEDGED, Set.of(), BY_SESSION);

    /** The stages of a connection, in order. */
    enum Stage {
        /** Before authentication. */
        OPENED,
        /** The device is authenticated. */
        ADMITTED,
        /** There is no unacknowledged warning about a public connection. */
        ACKNOWLEDGED
    }

    /** The order in which messages of a connection are handled. */
    enum Ordering {
        /** Handled on the thread of the connection, before the next message is read. */
        ON_CONNECTION,
        /** Handled after all earlier messages of this ordering about the same session. */
        BY_SESSION,
        /** Handled concurrently with all others, because it only reads. */
        UNORDERED
    }

    private static final Map<String, DeviceMessageType> BY_WIRE =
            Stream.of(values())
                    .filter(type -> type != JOIN_SESSION)
                    .collect(Collectors.toUnmodifiableMap(type -> type.wire, type -> type));

    private final String wire;
    private final Stage stage;

    @SuppressWarnings("ImmutableEnumChecker") // always from Set.of
    private final Set<Scope> scopes;

    private final @Nullable Capability capability;
    private final Ordering ordering;

    DeviceMessageType(String wire, Stage stage, Set<Scope> scopes, Ordering ordering) {
        this(wire, stage, scopes, null, ordering);
    }

    DeviceMessageType(
            String wire,
            Stage stage,
            Set<Scope> scopes,
            @Nullable Capability capability,
            Ordering ordering) {
        this.wire = wire;
        this.stage = stage;
        this.scopes = scopes;
        this.capability = capability;
        this.ordering = ordering;
    }

    static DeviceMessageType of(GatewayFrame frame) throws MalformedJsonException {
        var type = BY_WIRE.getOrDefault(frame.type(), UNKNOWN);
        boolean joins = type == START_SESSION && frame.fields().isTrue("resume");
        return joins ? JOIN_SESSION : type;
    }

    /** Returns the wire names of all requests, which access data of a tenant. */
    public static Set<String> requests() {
        return Stream.of(values())
                .filter(type -> type != UNKNOWN && type.ordering != ON_CONNECTION)
                .map(type -> type.wire)
                .collect(Collectors.toUnmodifiableSet());
    }

    boolean isAcceptedAt(Stage reached) {
        return reached.compareTo(stage) >= 0;
    }

    Ordering ordering() {
        return ordering;
    }

    /** Returns the capability that a device must declare to send this message. */
    Optional<Capability> capability() {
        return Optional.ofNullable(capability);
    }

    Set<Scope> missingScopes(Identity caller) {
        return scopes.stream().filter(scope -> !caller.has(scope)).collect(Collectors.toSet());
    }

    /** Returns the key of the queue for a frame: frames with equal keys are handled in order. */
    String queueKey(GatewayFrame frame) throws MalformedJsonException {
        return switch (ordering) {
            case ON_CONNECTION -> throw new IllegalStateException(wire + " is not queued");
            case BY_SESSION -> "session " + frame.fields().string("session_id").orElse("");
            case UNORDERED -> "unordered " + UUID.randomUUID();
        };
    }
}
