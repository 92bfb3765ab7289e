package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.DeviceScopes;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The requests of a device that is in, and those that the published protocol does not have. */
public final class Requests {
    private static final Map<String, Capability> BEYOND =
            Map.of(
                    "interrupt", Capability.INTERRUPT,
                    "permission_mode", Capability.PERMISSION_MODE,
                    "history_request", Capability.HISTORY,
                    "question_response", Capability.QUESTIONS,
                    "plan_review_response", Capability.QUESTIONS);

    private static final Set<Scope> WATCH = Set.of(Scope.READ);
    private static final Set<Scope> APPROVE = Set.of(Scope.APPROVE);
    private static final Set<Scope> STEER = Set.of(Scope.RUN);

    /** Turns questions off: whoever may do that decides all of them. */
    private static final Set<Scope> STEER_AND_APPROVE = Set.of(Scope.RUN, Scope.APPROVE);

    /** Every type of frame that is served, with the scopes that a device needs for it. */
    private static final Map<String, Set<Scope>> SCOPES =
            Map.ofEntries(
                    Map.entry("session_start", STEER), // or WATCH to join one, see below
                    Map.entry("session_end", STEER),
                    Map.entry("message", STEER),
                    Map.entry("interrupt", STEER),
                    Map.entry("permission_mode", STEER_AND_APPROVE),
                    Map.entry("history_request", WATCH),
                    Map.entry("approval_response", APPROVE),
                    Map.entry("question_response", APPROVE),
                    Map.entry("plan_review_response", APPROVE),
                    Map.entry("git_status_request", WATCH),
                    Map.entry("git_commit", STEER),
                    Map.entry("git_diff", WATCH),
                    Map.entry("file_list", WATCH),
                    Map.entry("file_read", WATCH),
                    Map.entry("notification_ack", WATCH));

    /** About the connection itself; every device has this scope. */
    private static final Map<String, Set<Scope>> OF_CONNECTIONS =
            Map.of("health_check", WATCH, "acknowledge_warning", WATCH);

    /** Every type of frame that is served; each names something of a tenant. */
    public static Set<String> types() {
        return SCOPES.keySet();
    }

    /** The scopes that the caller lacks for this; none for a type that is not served at all. */
    static Set<Scope> missing(Identity caller, GatewayFrame frame) throws MalformedJsonException {
        return scopes(frame).stream()
                .filter(scope -> !caller.may(scope))
                .collect(Collectors.toSet());
    }

    static GatewayFrame refusal(Identity caller, Set<Scope> missing, GatewayFrame frame) {
        return ErrorFrames.of(
                frame,
                GatewayError.SCOPE_MISSING,
                "%s needs the scope %s, and this device has %s; pair it again with that scope"
                        .formatted(
                                frame.type(),
                                String.join(" and ", DeviceScopes.names(missing)),
                                String.join(", ", DeviceScopes.names(caller.scopes()))));
    }

    private static Set<Scope> scopes(GatewayFrame frame) throws MalformedJsonException {
        boolean joins = frame.type().equals("session_start") && frame.fields().isTrue("resume");
        if (joins) {
            return WATCH; // SessionMessages resumes it only for a device that may steer
        }
        var ofConnection = OF_CONNECTIONS.getOrDefault(frame.type(), Set.of());
        return SCOPES.getOrDefault(frame.type(), ofConnection);
    }

    /** What a device must have said to make such a request. */
    static Optional<Capability> needed(String type) {
        return Optional.ofNullable(BEYOND.get(type));
    }

    private Requests() {}
}
