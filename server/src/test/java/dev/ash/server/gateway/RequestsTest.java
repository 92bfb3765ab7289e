package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Scope;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RequestsTest {
    private static final Set<String> LOOKING =
            Set.of(
                    "history_request",
                    "git_status_request",
                    "git_diff",
                    "file_list",
                    "file_read",
                    "notification_ack");
    private static final Set<String> DECIDING =
            Set.of("approval_response", "question_response", "plan_review_response");
    private static final Set<String> STEERING =
            Set.of("session_start", "session_end", "message", "interrupt", "git_commit");

    private static Set<String> allowed(Set<Scope> scopes) {
        return Requests.types().stream()
                .filter(type -> isAllowed(type, "{}", scopes))
                .collect(Collectors.toSet());
    }

    private static boolean isAllowed(String type, String payload, Set<Scope> scopes) {
        var device = new DeviceIdentity(TenantId.DEFAULT, "d", scopes);
        try {
            return Requests.missing(device, new GatewayFrame(type, "1", RawJson.of(payload)))
                    .isEmpty();
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        var all = new TreeSet<>(one);
        all.addAll(other);
        return all;
    }

    @Test
    void watchingAllowsLookingOnly() {
        assertThat(allowed(Scope.READ.included())).isEqualTo(LOOKING);
    }

    @Test
    void approvingAllowsDecidingAndNotSteering() {
        assertThat(allowed(Scope.APPROVE.included())).isEqualTo(union(LOOKING, DECIDING));
    }

    @Test
    void steeringAllowsNoDecisionsNorTheirEnd() {
        assertThat(allowed(Scope.RUN.included())).isEqualTo(union(LOOKING, STEERING));
    }

    @Test
    void everyTypeIsAllowedWithAllScopes() {
        assertThat(allowed(Set.of(Scope.READ, Scope.APPROVE, Scope.RUN)))
                .isEqualTo(Requests.types());
    }

    @Test
    void aSessionIsJoinedByWhoeverMayWatch() {
        assertThat(isAllowed("session_start", "{\"resume\":true}", Scope.READ.included())).isTrue();
        assertThat(isAllowed("session_start", "{\"resume\":false}", Scope.READ.included()))
                .isFalse();
        assertThat(isAllowed("message", "{\"resume\":true}", Scope.READ.included())).isFalse();
    }
}
