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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The Java client against the real server. */
class SdkTest {
    private static AshServer server;
    private static AshClient ash;

    @BeforeAll
    static void start() {
        server = AshServer.start();
        ash = new AshClient(server.api().base(), server.api().key());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void fromAFolderToTheLastEvent() {
        var folder = server.folder().write("sdk", Map.of("CLAUDE.md", "You are an example.\n"));
        var agent = ash.agents().deploy("sdk", folder);
        var session = ash.sessions().create("sdk");

        var events = new ArrayList<AshStreamEvent>();
        try (var stream = ash.sessions().send(session.id(), "hello")) {
            stream.forEach(events::add);
        }

        assertThat(agent.version()).isEqualTo(1);
        assertThat(events).hasAtLeastOneElementOfType(AshStreamEvent.Message.class);
        assertThat(events.getLast()).isInstanceOf(AshStreamEvent.Done.class);
        assertThat(ash.sessions().exec(session.id(), "cat CLAUDE.md").stdout())
                .isEqualTo("You are an example.\n");
        assertThat(ash.sessions().messages(session.id(), 0, null)).isNotEmpty();
        assertThat(ash.sessions().list(SessionFilter.ALL).sessions())
                .anySatisfy(row -> assertThat(row.id()).isEqualTo(session.id()));
        assertThat(ash.sessions().end(session.id()).status()).isEqualTo("ended");
        assertThat(ash.health().status()).isEqualTo("ok");
    }

    @Test
    void aRefusalIsAnExceptionWithItsCode() {
        assertThatThrownBy(() -> ash.sessions().get(UUID.randomUUID().toString()))
                .isInstanceOfSatisfying(
                        AshApiException.class,
                        refusal -> {
                            assertThat(refusal.is(ErrorCode.SESSION_NOT_FOUND)).isTrue();
                            assertThat(refusal.status()).isEqualTo(404);
                        });
    }
}
