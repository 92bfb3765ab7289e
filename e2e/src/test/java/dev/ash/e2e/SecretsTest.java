package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import dev.ash.e2e.model.ScriptedModelApi;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests rotation of secrets while a sandbox runs and when the server is killed. */
class SecretsTest {
    private static final String CREDENTIAL = "sk-ant-of-the-tenant";
    private static final Map<String, Object> ALL_NOW =
            Map.of("secrets", List.of("all"), "overlapMinutes", 0);

    private ScriptedModelApi api;
    private AshServer server;

    @BeforeEach
    void start() {
        api = ScriptedModelApi.start();
    }

    private void start(List<String> flags) {
        var environment = new HashMap<String, String>();
        environment.put("ANTHROPIC_BASE_URL", api.url());
        environment.put("ASH_GATEWAY", "1");
        environment.put("ASH_GATEWAY_PORT", "0");
        server = AshServer.start(environment, TestDirectory.create(), flags);
        server.deploy("hello");
    }

    @AfterEach
    void stop() {
        server.close();
        api.close();
    }

    private TestSession session() {
        var credential =
                server.api()
                        .post(
                                "/api/credentials",
                                Map.of("type", "anthropic", "key", CREDENTIAL, "label", "mine"))
                        .expect(201)
                        .at("/credential/id")
                        .asString();
        return server.session(Map.of("agent", "hello", "credentialId", credential));
    }

    /** Returns the status of a model call with this key; the sandbox expands variables in it. */
    private static String modelCall(TestSession session, String key) {
        return session.exec(
                        ("curl -s -o /dev/null -w '%%{http_code}' --unix-socket $ASH_MODEL_SOCKET"
                                        + " -H \"x-api-key: %s\" -H 'content-type: application/json'"
                                        + " http://x/v1/messages -d '{\"model\":\"m\",\"max_tokens\":9,"
                                        + "\"messages\":[{\"role\":\"user\",\"content\":\"SAY:hi\"}]}'")
                                .formatted(key))
                .path("stdout")
                .asString();
    }

    private static String placeholder(TestSession session) {
        return session.exec("printf %s $ASH_MODEL_KEY").path("stdout").asString();
    }

    private void assertModelCallsUseCredential(TestSession session) {
        int before = api.requests().size();
        assertThat(modelCall(session, "$ASH_MODEL_KEY")).isEqualTo("200");
        assertThat(api.requests().subList(before, api.requests().size()))
                .isNotEmpty()
                .allSatisfy(
                        request ->
                                assertThat(request.headers())
                                        .containsEntry("x-api-key", CREDENTIAL));
    }

    private List<String> states() {
        return server.api()
                .get("/api/secrets")
                .expect(200)
                .at("/secrets")
                .valueStream()
                .map(secret -> secret.path("state").asString())
                .toList();
    }

    private int hook(String token) {
        return server.api()
                .exchange(
                        "POST",
                        "/hooks/event",
                        "{}",
                        r -> r.setHeader("Authorization", "Bearer " + token))
                .status();
    }

    @Test
    void sessionsContinueAcrossRotationAndAdoption() throws Exception {
        start(List.of());
        var session = session();
        var old = placeholder(session);
        var bridge = session.bridgePid();
        var oldToken = Files.readString(server.data().resolve("hook-token")).strip();
        assertModelCallsUseCredential(session);
        assertThat(hook(oldToken)).isEqualTo(400); // authorized, but not an event

        var pairing = DeviceClient.pair(server);
        try (var phone = DeviceClient.enter(pairing)) {
            var rotated = server.api().post("/api/secrets/rotate", ALL_NOW).expect(200);

            assertThat(rotated.text()).doesNotContain(oldToken, old);
            phone.sendText("{\"type\":\"heartbeat_ping\",\"id\":\"h\"}");
            phone.await("heartbeat_pong"); // its connection stays open
        }
        assertNewCertificate(pairing);
        assertThat(Files.readString(server.data().resolve("sealing-key"))).startsWith("ash-keys 1");
        assertThat(hook(oldToken)).isEqualTo(401);
        assertThat(hook(Files.readString(server.data().resolve("hook-token")).strip()))
                .isEqualTo(400);
        assertModelCallsUseCredential(session);
        assertThat(Frame.names(session.ask("hello"))).contains("done").doesNotContain("error");

        server.kill();
        server = server.startAgain();
        var adopted = session.on(server);
        assertThat(adopted.bridgePid()).isEqualTo(bridge);
        assertThat(placeholder(adopted)).isEqualTo(old);
        assertModelCallsUseCredential(adopted);
        assertThat(server.api().get("/api/devices").status()).isEqualTo(200);

        adopted.post("stop").expect(200);
        adopted.post("resume").expect(200);
        server.api().delete("/api/secrets/previous").expect(200);
        assertThat(states()).containsOnly("current");
        assertThat(placeholder(adopted)).isNotEqualTo(old);
        assertThat(modelCall(adopted, old)).isEqualTo("401");
        assertModelCallsUseCredential(adopted);
        assertThat(server.output()).doesNotContain("NO DEVICE CAN CONNECT");
    }

    /**
     * Asserts that new connections to the gateway get a new certificate and that devices reject the
     * old one.
     */
    private void assertNewCertificate(DeviceClient.Pairing old) throws Exception {
        var current = DeviceClient.pair(server);
        assertThat(current.fingerprint()).isNotEqualTo(old.fingerprint());
        try (var client = TlsClient.connect(URI.create(current.url()).getPort())) {
            assertThat(client.fingerprint()).isEqualTo(current.fingerprint());
        }
        assertThatThrownBy(() -> DeviceClient.connect(old).close())
                .hasRootCauseInstanceOf(CertificateException.class);
        DeviceClient.enter(current).close();
    }

    @Test
    void finishesRotationAfterServerKill() throws Exception {
        start(List.of("-Dash.killAt=SECRET_BATCH_RESEALED:1"));
        var session = session();

        assertThatThrownBy(() -> server.api().post("/api/secrets/rotate", ALL_NOW))
                .isInstanceOf(UncheckedIOException.class);
        assertThat(server.process().waitFor(30, TimeUnit.SECONDS)).isTrue();
        server.kill();
        assertThat(Files.readAllLines(server.data().resolve("sealing-key")))
                .filteredOn(line -> line.startsWith("sealing "))
                .hasSize(2);

        server = server.startAgain();
        assertModelCallsUseCredential(session.on(server));
        await().atMost(Duration.ofSeconds(30)).until(() -> !states().contains("rotating"));
        assertThat(Files.readAllLines(server.data().resolve("sealing-key")))
                .filteredOn(line -> line.startsWith("sealing "))
                .hasSize(1);
        assertModelCallsUseCredential(session.on(server));
    }

    @Test
    void rejectsOtherTenantsAndUnknownSecrets() {
        start(List.of());
        var api = server.api();
        try (var other = Tenant.key(server, "secrets-tenant")) {
            assertThat(other.get("/api/secrets").status()).isEqualTo(403);
            assertThat(other.post("/api/secrets/rotate", ALL_NOW).status()).isEqualTo(403);
            assertThat(other.delete("/api/secrets/previous").status()).isEqualTo(403);
        }
        for (var body :
                List.of(
                        Map.of(),
                        Map.of("secrets", List.of()),
                        Map.of("secrets", List.of("passwords")),
                        Map.of("secrets", "all"),
                        Map.of("secrets", List.of("all"), "overlapMinutes", -1),
                        Map.of("secrets", List.of("all"), "overlapMinutes", 1_000_000))) {
            assertThat(api.post("/api/secrets/rotate", body).status())
                    .as("%s", body)
                    .isEqualTo(400);
        }
        assertThat(states()).containsOnly("current");
    }
}
