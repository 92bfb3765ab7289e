package dev.ash.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TlsIdentityTest {
    @TempDir Path folder;

    private static String pem(String kind, byte[] bytes) {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(kind, lines.encodeToString(bytes), kind);
    }

    @Test
    void oneIsMadeOnceForTheAddressesOfTheMachineAndCanBeGivenAsFiles() throws Exception {
        var file = folder.resolve("gateway.p12");
        var made = SelfSigned.open(file, "a long password");

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(SelfSigned.open(file, "a long password").sha256()).isEqualTo(made.sha256());
        var certificate = (X509Certificate) made.keys().getCertificate("gateway");
        assertThat(certificate.getSubjectAlternativeNames().toString())
                .contains("localhost", "127.0.0.1");

        var key = made.keys().getKey("gateway", "a long password".toCharArray());
        var chain =
                Files.writeString(
                        folder.resolve("c"), pem("CERTIFICATE", certificate.getEncoded()));
        var secret = Files.writeString(folder.resolve("k"), pem("PRIVATE KEY", key.getEncoded()));
        var given = TlsIdentity.ofFiles(chain, secret);
        assertThat(given.sha256()).isEqualTo(made.sha256()).matches("[0-9a-f]{64}");
    }

    @Test
    void filesThatAreNoneAreSaidToBeSo() throws Exception {
        var empty = Files.writeString(folder.resolve("empty"), "");

        assertThatThrownBy(() -> TlsIdentity.ofFiles(empty, empty))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("ASH_GATEWAY_CERT")
                .hasMessageContaining("PKCS#8");
        assertThatThrownBy(() -> TlsIdentity.ofFiles(folder.resolve("nothing"), empty))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("nothing");
    }

    @Test
    void aStoreThatCannotBeOpenedIsLeftAlone() throws Exception {
        var file = Files.writeString(folder.resolve("gateway.p12"), "not a store");

        assertThatThrownBy(() -> SelfSigned.open(file, "password"))
                .hasMessageContaining("delete it, and a new one is made");
        assertThat(file).hasContent("not a store");
    }
}
