package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Checks that the current version can use a data directory written by the server of commit e7139a4.
 * The resource {@code stored/README.md} describes how it was written.
 */
class StoredDataTest {
    private static final Path STORED = Path.of("src/test/resources/stored/e7139a4");

    private static final JsonNode expected =
            new JsonMapper().readTree(STORED.resolve("expected.json"));

    @RegisterExtension
    static final AshExtension ash = AshExtension.demo().gateway().prepare(StoredDataTest::restore);

    private static void restore(TestDirectory directory) throws Exception {
        unpack(directory.data());
        var store = new Store(directory.data());
        for (var column : new String[] {"agents.path", "sandboxes.workspace_dir"}) {
            var name = column.split("\\.");
            store.update(
                    "UPDATE %s SET %2$s = replace(%2$s, ?, ?)".formatted(name[0], name[1]),
                    text("data"),
                    directory.data().toString());
        }
    }

    /** Unpacks the archive, with file owners if permitted, and adds the programs of this run. */
    private static void unpack(Path data) throws IOException, InterruptedException {
        Files.createDirectories(data);
        var script =
                "tar --numeric-owner -xpzf %s -C %s && cp -al %s %2$s/"
                        .formatted(
                                STORED.resolve("data.tar.gz").toAbsolutePath(),
                                data,
                                StartupData.get().directory().data().resolve("runtime"));
        assertThat(new ProcessBuilder("sh", "-c", script).inheritIO().start().waitFor()).isZero();
    }

    private static String text(String name) {
        return expected.path(name).asString();
    }

    @Test
    void keepsKeysAndTokens() throws IOException {
        assertThat(Files.readString(ash.data().resolve("initial-api-key")).strip())
                .isEqualTo(text("apiKey"));
        assertThat(Files.readString(ash.data().resolve("hook-token"))).isEqualTo(text("hookToken"));
        var agents = ash.api().get("/api/agents").expect(200).at("/agents");
        assertThat(agents.valueStream().map(agent -> agent.path("name").asString()))
                .contains("gardener", "other");
    }

    @Test
    void keepsLogsByteForByte() throws Exception {
        for (var log : expected.path("logs")) {
            var digest = MessageDigest.getInstance("SHA-256");
            new Store(ash.data())
                    .log(log.path("session").asString()).stream()
                            .limit(log.path("events").asInt()) // this run may append more
                            .map(row -> "%d %s %s\n".formatted(row.seq(), row.type(), row.data()))
                            .forEach(line -> digest.update(line.getBytes(UTF_8)));
            assertThat(HexFormat.of().formatHex(digest.digest()))
                    .as("%s", log)
                    .isEqualTo(log.path("sha256").asString());
        }
    }

    @Test
    void computesSizesOfAllLogs() {
        var unknown =
                "(SELECT session_id, max(seq) seq FROM events GROUP BY session_id) JOIN events USING"
                        + " (session_id, seq) WHERE log_bytes IS NULL";
        await().atMost(Duration.ofMinutes(1))
                .until(() -> new Store(ash.data()).count(unknown) == 0);
    }

    @Test
    void readsEndedSession() {
        var ended = TestSession.of(ash.server(), text("ended"));
        assertThat(ended.status()).isEqualTo("ended");
        var messages = ash.api().get(ended.path() + "/messages").expect(200).at("/messages");
        assertThat(messages.get(0).path("content").asString()).contains("hello");
    }

    @Test
    void resumesPausedSessionWithFilesAndSealedEnvironment() {
        var session = TestSession.of(ash.server(), text("paused"));
        assertThat(session.status()).isEqualTo("paused");
        session.post("resume").expect(200);

        var said =
                session.ask("demo: run cat flower.txt; echo $ROSE $GARDEN").stream()
                        .map(Frame::data)
                        .collect(Collectors.joining("\n"));

        assertThat(said).contains("rose", "red of-e7139a4");
    }

    @Test
    void unsealsStoredCredential() {
        var session = ash.session(Map.of("agent", "gardener", "credentialId", text("credential")));
        session.end().expect(200);
    }

    @Test
    void pairedDeviceConnectsWithSameCertificateAndAllScopes() {
        var pairing = ash.pair();
        assertThat(pairing.fingerprint()).isEqualTo(text("fingerprint"));

        try (var phone =
                DeviceClient.connect(URI.create(pairing.url()), text("fingerprint"), Map.of())) {
            var ack = phone.auth(text("deviceToken"), "scopes_v1");

            assertThat(ack.path("scopes").toString())
                    .isEqualTo("[\"watch\",\"approve\",\"steer\"]");
            assertThat(ack.path("token_expires_at").isString()).isFalse();
            assertThat(
                            ack.path("active_sessions")
                                    .valueStream()
                                    .map(session -> session.path("session_id").asString()))
                    .contains(text("paused"), text("asking"));
            var joined =
                    phone.request(
                            "session_start", Map.of("session_id", text("asking"), "resume", true));
            assertThat(joined.path("type").asString()).as("%s", joined).isEqualTo("session_ready");
        }
    }
}
