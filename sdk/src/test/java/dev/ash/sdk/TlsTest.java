package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.rest.AshStreamEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Set;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which servers a client accepts over TLS; a rejected server must not receive a request. */
class TlsTest {
    private static final String HEALTH = "{\"status\":\"ok\",\"version\":\"9\"}";

    @TempDir static Path directory;

    private static SSLContext originalDefault;
    private static TestCertificate selfSigned;
    private static TestCertificate trusted;
    private static TestCertificate forAnotherHost;
    private static TestCertificate expired;

    @BeforeAll
    static void createCertificates() throws Exception {
        selfSigned = TestCertificate.create(directory, "server.example");
        trusted = TestCertificate.create(directory, "localhost");
        forAnotherHost = TestCertificate.create(directory, "other.example");
        var authority = TestCertificate.create(directory, "authority", "-ext", "bc:c");
        expired = authority.signed("localhost", "-startdate", "-10d", "-validity", "1");
        originalDefault = SSLContext.getDefault();
        SSLContext.setDefault(TestCertificate.trusting(trusted, forAnotherHost, authority));
    }

    @AfterAll
    static void restore() {
        SSLContext.setDefault(originalDefault);
    }

    private static FakeServer healthy(TestCertificate certificate) throws Exception {
        return certificate.server().on("GET /health", HEALTH);
    }

    private static AshClient client(FakeServer server) {
        return new AshClient("https://localhost:" + server.port(), "ash_key");
    }

    private static void assertRejected(FakeServer server, AshClient client, String... words) {
        assertThatThrownBy(client::health)
                .isInstanceOf(UntrustedServerException.class)
                .hasMessageContainingAll(words);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void acceptsPinnedCertificateRegardlessOfNameAndAuthority() throws Exception {
        try (var server = healthy(selfSigned)) {
            var client = client(server).pinnedTo(selfSigned.fingerprint());

            assertThat(client.health().status()).isEqualTo("ok");
            assertThat(server.requests().getFirst().header("Authorization"))
                    .contains("Bearer ash_key");
        }
    }

    @Test
    void rejectsUnpinnedCertificateAndShowsBothFingerprints() throws Exception {
        try (var server = healthy(trusted)) { // although trusted and for the right name
            assertRejected(
                    server,
                    client(server).pinnedTo(selfSigned.fingerprint()),
                    selfSigned.fingerprint(),
                    trusted.fingerprint(),
                    "intercepted",
                    "ASH_SERVER_FINGERPRINT");
        }
    }

    @Test
    void acceptsEitherOfTwoPinnedCertificates() throws Exception {
        var both = Fingerprint.parseAll(selfSigned.fingerprint() + ", " + trusted.fingerprint());
        for (var certificate : Set.of(selfSigned, trusted)) {
            try (var server = healthy(certificate)) {
                assertThat(client(server).pinnedTo(both).health().status()).isEqualTo("ok");
            }
        }
    }

    @Test
    void acceptsCertificateOfTrustedAuthorityForTheHostName() throws Exception {
        try (var server = healthy(trusted)) {
            assertThat(client(server).health().status()).isEqualTo("ok");
        }
    }

    @Test
    void rejectsCertificateForAnotherHostName() throws Exception {
        try (var server = healthy(forAnotherHost)) {
            assertRejected(server, client(server), "localhost", "host name", "not accepted");
        }
    }

    @Test
    void rejectsCertificateOfUnknownAuthority() throws Exception {
        try (var server = healthy(selfSigned)) {
            assertRejected(server, client(server), "trusted authority", "ASH_SERVER_FINGERPRINT");
        }
    }

    @Test
    void rejectsExpiredCertificatesPinnedOrNot() throws Exception {
        try (var server = healthy(expired)) {
            assertRejected(server, client(server), "has expired");
            assertRejected(server, client(server).pinnedTo(expired.fingerprint()), "has expired");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void doesNotFollowRedirectsToPlainHttp(int status) throws Exception {
        try (var plain = FakeServer.responding(200, HEALTH);
                var server =
                        selfSigned
                                .server()
                                .on(
                                        "GET /health",
                                        (_, out) ->
                                                FakeServer.write(
                                                        out,
                                                        "HTTP/1.1 %d X\r\nLocation: %s/health\r\n\r\n"
                                                                .formatted(status, plain.url())))) {
            assertThatThrownBy(client(server).pinnedTo(selfSigned.fingerprint())::health)
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            error -> assertThat(error.status()).isEqualTo(status));
            assertThat(plain.requests()).isEmpty();
        }
    }

    @Test
    void reportsThatThePortRequiresTls() throws IOException {
        try (var server = FakeServer.sending("\u0015\u0003\u0003\0\u0002\u0002\n")) {
            assertThatThrownBy(server.client()::health).hasMessageContaining("use https://");
        }
    }

    @Test
    void readsEventStreams() throws Exception {
        try (var server =
                selfSigned
                        .server()
                        .streams(
                                "GET /api/sessions/s/stream",
                                "id: 1\nevent: message\ndata: {}",
                                "id: 2\nevent: done\ndata: {}")) {
            var seen = new ArrayList<AshStreamEvent>();
            try (var events =
                    client(server).pinnedTo(selfSigned.fingerprint()).sessions().stream("s", 0)) {
                events.forEach(seen::add);
            }
            assertThat(seen).hasSize(2);
        }
    }

    @Test
    void pinningRequiresHttpsAndSixtyFourDigits() throws Exception {
        var plain = new AshClient("http://localhost:1", null);
        assertThatThrownBy(() -> plain.pinnedTo(selfSigned.fingerprint()))
                .hasMessageContaining("https://");

        var hex = "ab".repeat(32);
        assertThat(Fingerprint.parse("SHA256:" + "AB:".repeat(31) + "AB").sha256()).isEqualTo(hex);
        assertThatThrownBy(() -> Fingerprint.parse("abc")).hasMessageContaining("64 hex digits");
        assertThatThrownBy(() -> Fingerprint.parseAll(hex + ",")).hasMessageContaining("64 hex");
    }
}
