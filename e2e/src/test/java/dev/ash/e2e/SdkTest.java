package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.SessionFilter;
import java.util.ArrayList;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the Java client with a real server. */
class SdkTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo();

    private static AshClient client;

    @BeforeAll
    static void start() {
        client = new AshClient(ash.api().base(), ash.api().key());
    }

    @Test
    void deploysAgentAndReadsEvents() {
        var directory = ash.directory().write("sdk", Map.of("CLAUDE.md", "You are an example.\n"));
        var agent = client.agents().deploy("sdk", directory);
        var session = client.sessions().create("sdk");

        var events = new ArrayList<AshStreamEvent>();
        try (var stream = client.sessions().send(session.id(), "hello")) {
            stream.forEach(events::add);
        }

        assertThat(agent.version()).isEqualTo(1);
        assertThat(events).hasAtLeastOneElementOfType(AshStreamEvent.Message.class);
        assertThat(events.getLast()).isInstanceOf(AshStreamEvent.Done.class);
        assertThat(client.sessions().exec(session.id(), "cat CLAUDE.md").stdout())
                .isEqualTo("You are an example.\n");
        assertThat(client.sessions().messages(session.id(), 0, null)).isNotEmpty();
        assertThat(client.sessions().list(SessionFilter.ALL).sessions())
                .anySatisfy(row -> assertThat(row.id()).isEqualTo(session.id()));
        assertThat(client.sessions().end(session.id()).status()).isEqualTo("ended");
        assertThat(client.health().status()).isEqualTo("ok");
    }

    @Test
    void throwsExceptionWithErrorCode() {
        assertThatThrownBy(() -> client.sessions().get(UUID.randomUUID().toString()))
                .isInstanceOfSatisfying(
                        AshApiException.class,
                        error -> {
                            assertThat(error.is(ErrorCode.SESSION_NOT_FOUND)).isTrue();
                            assertThat(error.status()).isEqualTo(404);
                        });
    }
}
