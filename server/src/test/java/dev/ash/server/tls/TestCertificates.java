package dev.ash.server.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Base64;

/** Writes identities as PEM files. */
final class TestCertificates {
    static PemFiles files(Path directory, TlsIdentity certificate, TlsIdentity key)
            throws IOException, GeneralSecurityException {
        var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
        var secret = key.keys().getKey("gateway", key.password().toCharArray());
        return new PemFiles(
                "ASH_TLS",
                Files.writeString(directory.resolve("cert.pem"), certificate.pem()),
                Files.writeString(
                        directory.resolve("key.pem"),
                        "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
                                .formatted(lines.encodeToString(secret.getEncoded()))));
    }

    private TestCertificates() {}
}
