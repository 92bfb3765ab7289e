package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests devices with an engine that cannot ask for approvals, a configured command. */
class EngineWithoutApprovalsTest {
    private static final String COMMAND =
            """
            {"upper": {"driver": "command", "command": "/usr/bin/tr", "args": ["a-z", "A-Z"],
              "provider": "anthropic"}}
            """;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("ASH_ENGINES", COMMAND)
                    .with("ANTHROPIC_API_KEY", "sk-ant-key-of-nobody")
                    .gateway()
                    .sampleProject();

    private static Pairing pair(String... scopes) {
        var pairing =
                ash.api()
                        .post("/api/devices", Map.of("name", "p", "scopes", List.of(scopes)))
                        .expect(201)
                        .at("/pairing");
        return new Pairing(
                pairing.path("deviceId").asString(),
                pairing.path("url").asString(),
                pairing.path("token").asString(),
                pairing.path("fingerprint").asString());
    }

    @Test
    void deviceThatDecidesApprovalsStartsIt() {
        try (var phone = Phone.enter(pair("approve", "steer"))) {
            assertThat(phone.ack().path("agents").toString()).contains("\"name\":\"upper\"");
            var session = phone.start("upper", ash.project().directory());

            assertThat(Phone.text(phone.turn(session, "hello"))).contains("HELLO");
        }
    }

    @Test
    void deviceThatMayNotTurnApprovalsOffCannotStartIt() {
        try (var phone = Phone.enter(pair("steer"))) {
            var error =
                    phone.ask(
                            "session_start",
                            Phone.starting("upper", ash.project().directory()),
                            "error");

            assertThat(error.path("code").asString()).isEqualTo("AGENT_ERROR");
            assertThat(error.path("message").asString())
                    .contains("\"upper\" runs tools without asking", "scope approve");
        }
    }
}
