package dev.ash.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CertificatesTest {
    private static final Duration NEVER = Duration.ofDays(1);

    @TempDir Path data;

    private Certificates selfSigned(String... passwords) {
        return new Certificates(
                data, List.of(passwords), Optional.empty(), Optional.empty(), NEVER);
    }

    @Test
    void sharesCertificateAndRotatesItForBothListeners() throws Exception {
        try (var certificates = selfSigned("password")) {
            assertThat(certificates.fingerprints().rest()).isEmpty();
            var rest = certificates.rest();
            assertThat(certificates.fingerprints().gateway()).isEmpty();
            assertThat(certificates.gateway()).isSameAs(rest);
            var first = rest.current().sha256();
            var pem = data.resolve("tls-cert.pem");
            assertThat(pem).hasContent(rest.current().pem());
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(pem)))
                    .isEqualTo("rw-r--r--");
            var seen = new ArrayList<String>();
            rest.subscribe(next -> seen.add(next.sha256()));

            var rotated = certificates.rotate();

            assertThat(rotated.rest()).isEqualTo(rotated.gateway()).isNotEqualTo(first);
            assertThat(seen).containsExactly(rotated.rest().orElseThrow());
            assertThat(pem).hasContent(rest.current().pem());
            try (var restarted = selfSigned("password")) {
                assertThat(restarted.rest().current().sha256()).isEqualTo(seen.getFirst());
            }
        }
    }

    @Test
    void rotatesToPreparedCertificate() throws Exception {
        try (var certificates = selfSigned("password")) {
            var first = certificates.gateway().current().sha256();

            var announced = certificates.prepare();

            assertThat(certificates.prepare()).isEqualTo(announced);
            assertThat(certificates.fingerprints().gateway()).contains(first);
            assertThat(certificates.rotate().gateway()).contains(announced).isNotEqualTo(first);
        }
    }

    @Test
    void resumesInterruptedRotation() throws Exception {
        try (var certificates = selfSigned("password")) {
            var first = certificates.gateway().current().sha256();
            var announced = certificates.prepare(); // simulates a crash before the rename
            Files.writeString(data.resolve("gateway.p12.draft"), "half a store");

            try (var restarted = selfSigned("password")) {
                assertThat(restarted.gateway().current().sha256()).isEqualTo(first);
                assertThat(restarted.rotate().gateway()).contains(announced);
            }
        }
    }

    @Test
    void changesPasswordButNotCertificate() throws Exception {
        String first;
        try (var certificates = selfSigned("password-1")) {
            first = certificates.gateway().current().sha256();
            certificates.changePassword("password-2");
            assertThat(certificates.fingerprints().gateway()).contains(first);
        }
        assertThatThrownBy(() -> selfSigned("password-1").gateway())
                .isInstanceOf(IOException.class);
        try (var restarted = selfSigned("password-3", "password-2")) {
            assertThat(restarted.gateway().current().sha256()).isEqualTo(first);
        }
        try (var restarted = selfSigned("password-3")) {
            assertThat(restarted.gateway().current().sha256()).isEqualTo(first);
        }
    }

    @Test
    void reloadsChangedFiles() throws Exception {
        var one = new SelfSignedCertificate(data.resolve("1.p12"), List.of("password")).open();
        var other = new SelfSignedCertificate(data.resolve("2.p12"), List.of("password")).open();
        var files = TestCertificates.files(data, one, one);
        try (var certificates =
                new Certificates(
                        data,
                        List.of("password"),
                        Optional.empty(),
                        Optional.of(files),
                        Duration.ofMillis(5))) {
            assertThat(certificates.rest()).isSameAs(certificates.gateway());
            assertThat(certificates.rest().current().sha256()).isEqualTo(one.sha256());

            TestCertificates.files(data, other, one); // the certificate does not match the key
            setModifiedLater(files, 10);
            assertThat(certificates.rest().current().sha256()).isEqualTo(one.sha256());
            TestCertificates.files(data, other, other);
            setModifiedLater(files, 20);

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> certificates.rest().current().sha256().equals(other.sha256()));
            assertThat(data.resolve("gateway.p12")).doesNotExist();
        }
    }

    private static void setModifiedLater(PemFiles files, int seconds) throws IOException {
        var time = FileTime.fromMillis(System.currentTimeMillis() + seconds * 1000L);
        Files.setLastModifiedTime(files.certificates(), time);
        Files.setLastModifiedTime(files.key(), time);
    }
}
