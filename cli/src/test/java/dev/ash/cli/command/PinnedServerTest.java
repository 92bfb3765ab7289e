package dev.ash.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.sdk.FakeServer;
import dev.ash.sdk.TestCertificate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which server certificate the command accepts. */
class PinnedServerTest {
    private static final String OTHER = "0".repeat(64);

    @TempDir static Path certificates;
    private static TestCertificate certificate;

    @TempDir Path root;
    private FakeServer server;
    private String url;

    @BeforeAll
    static void createCertificate() throws Exception {
        certificate = TestCertificate.create(certificates, "server.example");
    }

    @BeforeEach
    void start() throws Exception {
        server = certificate.server().on("GET /health", "{\"status\":\"ok\",\"version\":\"9\"}");
        url = "https://localhost:" + server.port();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private void writeConfig(String fingerprint) throws IOException {
        write(
                "home/.ash/config.json",
                "{\"server_url\":\"%s\",\"api_key\":\"ash_k\",\"server_fingerprint\":\"%s\"}"
                        .formatted(url, fingerprint));
    }

    private void writePidFile(int port, String fingerprint) throws IOException {
        write(
                "data/server.pid",
                "{\"pid\":1,\"port\":%d,\"fingerprint\":\"%s\"}".formatted(port, fingerprint));
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), text);
    }

    private void assertRejected(Ash.Result result) throws Exception {
        assertThat(result.exitCode()).as(result.err()).isEqualTo(3);
        assertThat(result.err()).contains(OTHER, certificate.fingerprint());
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void pinsFingerprintFromConfigFile() throws Exception {
        writeConfig(OTHER);
        assertRejected(new Ash(root).run("health"));

        writeConfig(certificate.fingerprint());
        assertThat(new Ash(root).run("health").exitCode()).isZero();
    }

    @Test
    void pinsFingerprintOfRunningLocalServer() throws Exception {
        writeConfig(OTHER);
        writePidFile(server.port(), certificate.fingerprint());
        assertThat(new Ash(root).run("health").exitCode()).isZero();

        writePidFile(server.port() + 1, certificate.fingerprint()); // another server's
        server.requests().clear();
        assertRejected(new Ash(root).run("health"));
    }

    @Test
    void prefersFingerprintFromVariable() throws Exception {
        writeConfig(certificate.fingerprint());
        assertRejected(new Ash(root).with("ASH_SERVER_FINGERPRINT", OTHER).run("health"));

        var both = OTHER + "," + certificate.fingerprint();
        assertThat(new Ash(root).with("ASH_SERVER_FINGERPRINT", both).run("health").exitCode())
                .isZero();
    }

    @Test
    void doesNotStartServerInsteadOfUntrustedOne() throws Exception {
        writeConfig(OTHER);

        assertRejected(new Ash(root).run("chat", "hello", "hi"));
    }

    @Test
    void requiresTlsAndSixtyFourDigits() throws Exception {
        try (var plain = FakeServer.responding(200, "{}")) {
            var ash = new Ash(root).with("ASH_SERVER_FINGERPRINT", OTHER).server(plain);
            assertThat(ash.run("health").err()).contains("ASH_SERVER_FINGERPRINT", "https://");
            assertThat(plain.requests()).isEmpty();
        }
        writeConfig("abc");
        var bad = new Ash(root).run("health");
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.err()).contains("64 hex digits", "config.json");
    }
}
