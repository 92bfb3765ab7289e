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

/** Which servers a client accepts over TLS; a refused one must not see a request. */
class TlsTest {
    private static final String HEALTH = "{\"status\":\"ok\",\"version\":\"9\"}";

    @TempDir static Path folder;

    private static SSLContext usual;
    private static TestCertificate own;
    private static TestCertificate trusted;
    private static TestCertificate ofAnotherHost;
    private static TestCertificate expired;

    @BeforeAll
    static void make() throws Exception {
        own = TestCertificate.make(folder, "server.example");
        trusted = TestCertificate.make(folder, "localhost");
        ofAnotherHost = TestCertificate.make(folder, "other.example");
        var authority = TestCertificate.make(folder, "authority", "-ext", "bc:c");
        expired = authority.signed("localhost", "-startdate", "-10d", "-validity", "1");
        usual = SSLContext.getDefault();
        SSLContext.setDefault(TestCertificate.trusting(trusted, ofAnotherHost, authority));
    }

    @AfterAll
    static void restore() {
        SSLContext.setDefault(usual);
    }

    private static FakeServer healthy(TestCertificate certificate) throws Exception {
        return certificate.server().on("GET /health", HEALTH);
    }

    private static AshClient client(FakeServer server) {
        return new AshClient("https://localhost:" + server.port(), "ash_key");
    }

    private static void assertRefused(FakeServer server, AshClient client, String... words) {
        assertThatThrownBy(client::health)
                .isInstanceOf(UntrustedServerException.class)
                .hasMessageContainingAll(words);
        assertThat(server.requests()).isEmpty();
    }

    @Test
    void acceptsThePinnedCertificateWhateverItsNameAndAuthority() throws Exception {
        try (var server = healthy(own)) {
            var client = client(server).pinnedTo(own.fingerprint());

            assertThat(client.health().status()).isEqualTo("ok");
            assertThat(server.requests().getFirst().header("Authorization"))
                    .contains("Bearer ash_key");
        }
    }

    @Test
    void refusesAnotherCertificateThanThePinnedOneAndShowsBoth() throws Exception {
        try (var server = healthy(trusted)) { // even one of a trusted authority for the right name
            assertRefused(
                    server,
                    client(server).pinnedTo(own.fingerprint()),
                    own.fingerprint(),
                    trusted.fingerprint(),
                    "intercepting",
                    "ASH_SERVER_FINGERPRINT");
        }
    }

    @Test
    void acceptsEitherOfTwoWhileACertificateIsReplaced() throws Exception {
        var both = Fingerprint.parseAll(own.fingerprint() + ", " + trusted.fingerprint());
        for (var certificate : Set.of(own, trusted)) {
            try (var server = healthy(certificate)) {
                assertThat(client(server).pinnedTo(both).health().status()).isEqualTo("ok");
            }
        }
    }

    @Test
    void acceptsACertificateOfATrustedAuthorityForTheHostName() throws Exception {
        try (var server = healthy(trusted)) {
            assertThat(client(server).health().status()).isEqualTo("ok");
        }
    }

    @Test
    void refusesACertificateForAnotherHostName() throws Exception {
        try (var server = healthy(ofAnotherHost)) {
            assertRefused(server, client(server), "localhost", "host name", "not accepted");
        }
    }

    @Test
    void refusesACertificateOfAnUnknownAuthority() throws Exception {
        try (var server = healthy(own)) {
            assertRefused(server, client(server), "no authority", "ASH_SERVER_FINGERPRINT");
        }
    }

    @Test
    void refusesAnExpiredCertificatePinnedOrNot() throws Exception {
        try (var server = healthy(expired)) {
            assertRefused(server, client(server), "has expired");
            assertRefused(server, client(server).pinnedTo(expired.fingerprint()), "has expired");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {301, 302, 307, 308})
    void followsNoRedirectToPlainHttp(int status) throws Exception {
        try (var plain = FakeServer.answering(200, HEALTH);
                var server =
                        own.server()
                                .on(
                                        "GET /health",
                                        (_, out) ->
                                                FakeServer.write(
                                                        out,
                                                        "HTTP/1.1 %d X\r\nLocation: %s/health\r\n\r\n"
                                                                .formatted(status, plain.url())))) {
            assertThatThrownBy(client(server).pinnedTo(own.fingerprint())::health)
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            refusal -> assertThat(refusal.status()).isEqualTo(status));
            assertThat(plain.requests()).isEmpty();
        }
    }

    @Test
    void saysThatAPortSpeaksTls() throws IOException {
        try (var server = FakeServer.saying("\u0015\u0003\u0003\0\u0002\u0002\n")) {
            assertThatThrownBy(server.client()::health).hasMessageContaining("use https://");
        }
    }

    @Test
    void readsEventStreams() throws Exception {
        try (var server =
                own.server()
                        .streams(
                                "GET /api/sessions/s/stream",
                                "id: 1\nevent: message\ndata: {}",
                                "id: 2\nevent: done\ndata: {}")) {
            var seen = new ArrayList<AshStreamEvent>();
            try (var events =
                    client(server).pinnedTo(own.fingerprint()).sessions().stream("s", 0)) {
                events.forEach(seen::add);
            }
            assertThat(seen).hasSize(2);
        }
    }

    @Test
    void aFingerprintNeedsTlsAndSixtyFourDigits() throws Exception {
        var plain = new AshClient("http://localhost:1", null);
        assertThatThrownBy(() -> plain.pinnedTo(own.fingerprint()))
                .hasMessageContaining("https://");

        var hex = "ab".repeat(32);
        assertThat(Fingerprint.parse("SHA256:" + "AB:".repeat(31) + "AB").sha256()).isEqualTo(hex);
        assertThatThrownBy(() -> Fingerprint.parse("abc")).hasMessageContaining("64 hex digits");
        assertThatThrownBy(() -> Fingerprint.parseAll(hex + ",")).hasMessageContaining("64 hex");
    }
}
