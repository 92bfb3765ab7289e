package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.gateway.DeviceMessageType.Stage;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Scope;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DeviceMessageTypeTest {
    private static final Set<String> READ_REQUESTS =
            Set.of(
                    "history_request",
                    "git_status_request",
                    "git_diff",
                    "file_list",
                    "file_read",
                    "notification_ack");
    private static final Set<String> DECISIONS =
            Set.of("approval_response", "question_response", "plan_review_response");
    private static final Set<String> RUN_REQUESTS =
            Set.of("session_start", "session_end", "message", "interrupt", "git_commit");

    private static Set<String> allowed(Set<Scope> scopes) {
        return DeviceMessageType.requests().stream()
                .filter(type -> isAllowed(type, "{}", scopes))
                .collect(Collectors.toSet());
    }

    private static boolean isAllowed(String type, String payload, Set<Scope> scopes) {
        var device = new DeviceIdentity(TenantId.DEFAULT, "d", scopes);
        try {
            var frame = new GatewayFrame(type, "1", RawJson.of(payload));
            return DeviceMessageType.of(frame).missingScopes(device).isEmpty();
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
    void readScopeAllowsOnlyReads() {
        assertThat(allowed(Scope.READ.included())).isEqualTo(READ_REQUESTS);
    }

    @Test
    void approveScopeAllowsReadsAndDecisions() {
        assertThat(allowed(Scope.APPROVE.included())).isEqualTo(union(READ_REQUESTS, DECISIONS));
    }

    @Test
    void runScopeAllowsNeitherDecisionsNorPermissionMode() {
        assertThat(allowed(Scope.RUN.included())).isEqualTo(union(READ_REQUESTS, RUN_REQUESTS));
    }

    @Test
    void allScopesAllowEveryRequest() {
        assertThat(allowed(Set.of(Scope.READ, Scope.APPROVE, Scope.RUN)))
                .isEqualTo(DeviceMessageType.requests());
    }

    @Test
    void readScopeAllowsJoiningButNotStartingSession() {
        assertThat(isAllowed("session_start", "{\"resume\":true}", Scope.READ.included())).isTrue();
        assertThat(isAllowed("session_start", "{\"resume\":false}", Scope.READ.included()))
                .isFalse();
        assertThat(isAllowed("message", "{\"resume\":true}", Scope.READ.included())).isFalse();
    }

    @Test
    void findsEveryTypeByName() throws Exception {
        for (var name : DeviceMessageType.requests()) {
            assertThat(type(name)).isNotEqualTo(DeviceMessageType.UNKNOWN);
        }
        assertThat(type("session_start")).isEqualTo(DeviceMessageType.START_SESSION);
        assertThat(type("auth")).isEqualTo(DeviceMessageType.AUTH);
        assertThat(type("heartbeat_ping")).isEqualTo(DeviceMessageType.HEARTBEAT_PING);
        assertThat(type("health_check")).isEqualTo(DeviceMessageType.HEALTH_CHECK);
        assertThat(type("acknowledge_warning")).isEqualTo(DeviceMessageType.ACKNOWLEDGE_WARNING);
        assertThat(type("no_such_type")).isEqualTo(DeviceMessageType.UNKNOWN);
        assertThat(type("")).isEqualTo(DeviceMessageType.UNKNOWN);
    }

    @Test
    void acceptsOnlyMessagesAboutConnectionBeforeAcknowledgment() {
        assertThat(DeviceMessageType.values())
                .filteredOn(type -> type.isAcceptedAt(Stage.ADMITTED))
                .containsExactlyInAnyOrder(
                        DeviceMessageType.HEARTBEAT_PING,
                        DeviceMessageType.AUTH,
                        DeviceMessageType.HEALTH_CHECK,
                        DeviceMessageType.ACKNOWLEDGE_WARNING,
                        DeviceMessageType.NOTIFICATION_ACK);
        assertThat(DeviceMessageType.values())
                .filteredOn(type -> type.isAcceptedAt(Stage.OPENED))
                .containsExactlyInAnyOrder(
                        DeviceMessageType.HEARTBEAT_PING, DeviceMessageType.AUTH);
    }

    @Test
    void protocolExtensionsRequireCapability() {
        assertThat(DeviceMessageType.values())
                .filteredOn(type -> type.capability().isPresent())
                .containsExactlyInAnyOrder(
                        DeviceMessageType.INTERRUPT,
                        DeviceMessageType.PERMISSION_MODE,
                        DeviceMessageType.HISTORY_REQUEST,
                        DeviceMessageType.QUESTION_RESPONSE,
                        DeviceMessageType.PLAN_REVIEW_RESPONSE);
    }

    @Test
    void ordersChangesOfSessionButNotReads() throws Exception {
        assertThat(key("message", "a")).isEqualTo(key("git_commit", "a"));
        assertThat(key("message", "a")).isNotEqualTo(key("message", "b"));
        for (var read :
                List.of(
                        "git_status_request",
                        "git_diff",
                        "file_list",
                        "file_read",
                        "history_request")) {
            assertThat(key(read, "a")).isNotEqualTo(key("message", "a"));
            assertThat(key(read, "a")).isNotEqualTo(key(read, "a"));
        }
    }

    private static DeviceMessageType type(String name) throws MalformedJsonException {
        return DeviceMessageType.of(new GatewayFrame(name, "1", RawJson.EMPTY_OBJECT));
    }

    private static String key(String name, String session) throws MalformedJsonException {
        var payload = RawJson.of("{\"session_id\":\"%s\"}".formatted(session));
        var frame = new GatewayFrame(name, "1", payload);
        return DeviceMessageType.of(frame).queueKey(frame);
    }
}
