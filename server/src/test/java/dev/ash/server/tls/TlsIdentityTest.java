package dev.ash.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsIdentityTest {
    @TempDir Path directory;

    @Test
    void createsCertificateForLocalAddressesOnce() throws Exception {
        var file = directory.resolve("gateway.p12");
        var store = new SelfSignedCertificate(file, List.of("a long password"));
        var created = store.open();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(store.open().sha256()).isEqualTo(created.sha256());
        assertThat(created.certificate().getSubjectAlternativeNames().toString())
                .contains("localhost", "127.0.0.1");

        var given = TlsIdentity.ofFiles(TestCertificates.files(directory, created, created));
        assertThat(given.sha256()).isEqualTo(created.sha256()).matches("[0-9a-f]{64}");
    }

    @Test
    void rejectsInvalidFiles() throws Exception {
        var empty = Files.writeString(directory.resolve("empty"), "");

        assertThatThrownBy(() -> TlsIdentity.ofFiles(new PemFiles("ASH_TLS", empty, empty)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("ASH_TLS_CERT")
                .hasMessageContaining("PKCS#8");
        assertThatThrownBy(
                        () ->
                                TlsIdentity.ofFiles(
                                        new PemFiles("X", directory.resolve("nothing"), empty)))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("nothing");
    }

    @Test
    void rejectsKeyOfAnotherCertificate() throws Exception {
        var one = new SelfSignedCertificate(directory.resolve("1.p12"), List.of("password")).open();
        var other =
                new SelfSignedCertificate(directory.resolve("2.p12"), List.of("password")).open();
        var files = TestCertificates.files(directory, one, other);

        assertThatThrownBy(() -> TlsIdentity.ofFiles(files))
                .hasMessageContaining("the key does not belong to the certificate");
    }

    @Test
    void doesNotReplaceUnreadableStore() throws Exception {
        var file = Files.writeString(directory.resolve("gateway.p12"), "not a store");

        assertThatThrownBy(() -> new SelfSignedCertificate(file, List.of("password")).open())
                .hasMessageContaining("delete it to create a new one");
        assertThat(file).hasContent("not a store");
    }
}
