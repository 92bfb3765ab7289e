package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests TLS of a server on a public address, and certificate pinning in the CLI. */
class TlsTest {
    private static final String HEALTH = "GET /health HTTP/1.1\r\nConnection: close\r\nHost: ";

    @Test
    void cliPinsCertificateOfStartedServer() throws Exception {
        try (var directory = TestDirectory.create()) {
            StartupData.get().copyTo(directory.data());
            var agent = directory.write("my-agent", Map.of("CLAUDE.md", "You are mine.\n"));
            var ash = new Cli(directory);
            try {
                var started = ash.with("ASH_HOST", "0.0.0.0").with("ASH_TLS", "on").run("start");
                assertThat(started.exit()).as(started.all()).isZero();
                assertThat(started.out()).contains("https://localhost:", "fingerprint");
                var config = ash.config();
                var fingerprint = config.path("server_fingerprint").asString();
                assertThat(fingerprint).matches("[0-9a-f]{64}");
                assertThat(config.path("server_url").asString()).startsWith("https://localhost:");
                assertThat(Files.getPosixFilePermissions(ash.configFile()))
                        .isEqualTo(PosixFilePermissions.fromString("rw-------"));

                var answer = ash.run("chat", agent.toString(), "hello"); // an event stream
                assertThat(answer.exit()).as(answer.all()).isZero();
                assertThat(answer.out()).containsIgnoringCase("demo");

                var wrong = ash.with("ASH_SERVER_FINGERPRINT", "0".repeat(64)).run("health");
                assertThat(wrong.exit()).as(wrong.all()).isEqualTo(3);
                assertThat(wrong.err()).contains(fingerprint, "0".repeat(64), "intercepted");

                int port = port(directory.data());
                var plain = ash.with("ASH_SERVER_URL", "http://localhost:" + port).run("health");
                assertThat(plain.exit()).as(plain.all()).isNotZero();
                assertThat(plain.err()).contains("This port requires TLS: use https://");

                assertRejectsForeignHostsOverTls(directory.data(), port);

                ash.run("stop");
                var again =
                        ash.run("chat", agent.toString(), "hello"); // starts a server automatically
                assertThat(again.exit()).as(again.all()).isZero();
                assertThat(ash.config().path("server_fingerprint").asString())
                        .as("TLS and the same certificate after a restart")
                        .isEqualTo(fingerprint);
                assertRotates(ash, directory.data(), fingerprint);
            } finally {
                ash.run("stop");
            }
        }
    }

    /** Rotates the certificate while the server runs and a connection is open. */
    private static void assertRotates(Cli ash, Path data, String old) throws Exception {
        int port = port(data);
        try (var before = TlsClient.connect(port)) {
            assertThat(before.fingerprint()).isEqualTo(old);
            assertThat(before.head("/health")).startsWith("HTTP/1.1 ");

            var rotated = ash.run("secrets", "rotate", "certificates");
            assertThat(rotated.exit()).as(rotated.all()).isZero();

            assertThat(before.head("/health")).as("the open connection").startsWith("HTTP/1.1 ");
            try (var after = TlsClient.connect(port)) {
                assertThat(after.fingerprint())
                        .isNotEqualTo(old)
                        .isEqualTo(json(data.resolve("server.pid")).path("fingerprint").asString());
            }
        }
        var health = ash.run("health"); // accepts the new certificate of the local server
        assertThat(health.exit()).as(health.all()).isZero();
        var pinned = ash.with("ASH_SERVER_FINGERPRINT", old).run("health");
        assertThat(pinned.exit()).as(pinned.all()).isEqualTo(3);
    }

    /** Checks Host header validation with a client that trusts only the exported certificate. */
    private static void assertRejectsForeignHostsOverTls(Path data, int port) throws Exception {
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        try (var pem = Files.newInputStream(data.resolve("tls-cert.pem"))) {
            trusted.setCertificateEntry(
                    "ash", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        var trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        for (var host : List.of("localhost", "192.0.2.7:4100", "evil.example")) {
            try (var socket =
                    context.getSocketFactory()
                            .createSocket(InetAddress.getLoopbackAddress(), port)) {
                assertThat(statusLine(socket, host))
                        .as(host)
                        .contains(host.equals("evil.example") ? " 403 " : " 200 ");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"ASH_TLS, proxy", "ASH_INSECURE_HTTP, 1"})
    void plainHttpChecksHostNames(String name, String value) throws Exception {
        try (var server =
                AshServer.start(
                        Map.of(
                                "ASH_HOST",
                                "0.0.0.0",
                                name,
                                value,
                                "ASH_ALLOWED_HOSTS",
                                "a.test"))) {
            int port = port(server.data());
            for (var host : List.of("127.0.0.1", "a.test", "evil.example")) {
                try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    assertThat(statusLine(socket, host))
                            .as(host)
                            .contains(host.equals("evil.example") ? " 403 " : " 200 ");
                }
            }
            assertThat(server.output().contains("API KEYS ARE SENT IN CLEAR TEXT"))
                    .isEqualTo(name.equals("ASH_INSECURE_HTTP"));
        }
    }

    private static String statusLine(Socket socket, String host) throws IOException {
        socket.setSoTimeout(30_000);
        socket.getOutputStream()
                .write((HEALTH + host + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        var answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return answer.lines().findFirst().orElse("");
    }

    private static int port(Path data) {
        return json(data.resolve("server.pid")).path("port").asInt();
    }

    private static JsonNode json(Path file) {
        return new JsonMapper().readTree(file.toFile());
    }

    private record Result(int exit, String out, String err) {
        String all() {
            return out + err;
        }
    }

    /** Runs the CLI as a separate process. Variables of {@link #with} apply to one command. */
    private record Cli(TestDirectory directory, Map<String, String> more, String marker) {
        Cli(TestDirectory directory) {
            this(directory, Map.of(), "/nowhere/ash-e2e-" + UUID.randomUUID());
        }

        Cli with(String name, String value) {
            var all = new HashMap<>(more);
            all.put(name, value);
            return new Cli(directory, all, marker);
        }

        Path configFile() {
            return directory.path().resolve("home/.ash/config.json");
        }

        JsonNode config() {
            return json(configFile());
        }

        Result run(String... arguments) throws IOException, InterruptedException {
            var command = new ArrayList<>(ServerLaunch.cli());
            command.addAll(List.of(arguments));
            var out = Files.createTempFile(directory.path(), "out", "");
            var err = Files.createTempFile(directory.path(), "err", "");
            var builder = new ProcessBuilder(command).redirectOutput(out.toFile());
            var env = builder.environment();
            env.keySet().retainAll(List.of("PATH", "LANG"));
            env.put("HOME", directory.path().resolve("home").toString());
            env.put("ASH_PORT", "0");
            env.put("ASH_DATA_DIR", directory.data().toString());
            env.put("ASH_ENGINE", "demo");
            env.put("ASH_GATEWAY", "0");
            env.put(AshServer.MARKER_VARIABLE, marker);
            env.put("JDK_JAVA_OPTIONS", String.join(" ", StartupData.get().flags()));
            env.putAll(more);
            var process = builder.redirectError(err.toFile()).start();
            process.getOutputStream().close();
            if (!process.waitFor(90, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running: " + List.of(arguments));
            }
            return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
        }
    }
}
