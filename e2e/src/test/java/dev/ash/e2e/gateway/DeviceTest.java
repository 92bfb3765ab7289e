package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests a whole session of a device with the demo engine. */
class DeviceTest {
    private static final Map<String, String> GATEWAY =
            Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", "0");

    @Test
    void pairsStartsASessionAndApprovesATool() {
        try (var server = AshServer.start(GATEWAY)) {
            var pairing = DeviceClient.pair(server);
            try (var phone = DeviceClient.enter(pairing)) {
                var ready =
                        phone.request("session_start", Map.of("agent", "demo", "resume", false));
                assertThat(ready.path("type").asString())
                        .as("%s", ready)
                        .isEqualTo("session_ready");
                var session = ready.path("payload").path("session_id").asString();
                phone.send(
                        "message",
                        "m1",
                        Map.of("session_id", session, "content", "hello", "role", "user"));
                var asked = phone.await("approval_required").path("payload");
                phone.send(
                        "approval_response",
                        "r1",
                        Map.of(
                                "session_id",
                                session,
                                "tool_call_id",
                                asked.path("tool_call_id").asString(),
                                "decision",
                                "approved"));
                var result = phone.await("tool_result").path("payload");
                assertThat(result.path("result").path("success").asBoolean()).isTrue();
                phone.await("stream_end");
            }
        }
    }
}
