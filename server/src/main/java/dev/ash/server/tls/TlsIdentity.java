package dev.ash.server.tls;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The key and certificate of a TLS listener.
 *
 * @param sha256 of the certificate, in hex: what a device can compare without trusting anybody
 */
public record TlsIdentity(KeyStore keys, String password, String sha256) {
    private static final Pattern PRIVATE_KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----(.+?)-----END PRIVATE KEY-----", Pattern.DOTALL);

    /** Of files that a person gave: a chain of certificates and its key, both as PEM. */
    public static TlsIdentity ofFiles(Path certificates, Path key) {
        try {
            var factory = CertificateFactory.getInstance("X.509");
            var chain =
                    factory.generateCertificates(
                                    new ByteArrayInputStream(Files.readAllBytes(certificates)))
                            .toArray(Certificate[]::new);
            if (chain.length == 0) {
                throw new GeneralSecurityException("there is no certificate in it");
            }
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("gateway", privateKey(Files.readString(key)), new char[0], chain);
            return new TlsIdentity(store, "", fingerprint(chain[0]));
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "ASH_GATEWAY_CERT (%s) and ASH_GATEWAY_KEY (%s) cannot be used: %s; expected a certificate chain and an unencrypted PKCS#8 key, both as PEM"
                            .formatted(certificates, key, e.getMessage()),
                    e);
        }
    }

    /** Of a store with one entry. */
    public static TlsIdentity ofStore(Path file, String password)
            throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(file.toFile(), password.toCharArray());
        var alias = store.aliases().nextElement();
        return new TlsIdentity(store, password, fingerprint(store.getCertificate(alias)));
    }

    private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        var found = PRIVATE_KEY.matcher(pem);
        if (!found.find()) {
            throw new InvalidKeySpecException("there is no line BEGIN PRIVATE KEY in the key");
        }
        var spec =
                new PKCS8EncodedKeySpec(
                        Base64.getMimeDecoder()
                                .decode(found.group(1).getBytes(StandardCharsets.US_ASCII)));
        for (var algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // of another kind
            }
        }
        throw new InvalidKeySpecException("the key is neither RSA, EC nor Ed25519");
    }

    private static String fingerprint(Certificate certificate) throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }
}
