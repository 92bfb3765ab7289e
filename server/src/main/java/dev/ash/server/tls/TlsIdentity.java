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
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The key and certificate of a TLS listener.
 *
 * @param certificate the leaf of the chain
 * @param sha256 fingerprint of the certificate in hex, which clients can pin
 */
public record TlsIdentity(
        KeyStore keys, String password, X509Certificate certificate, String sha256) {
    private static final Pattern PRIVATE_KEY =
            Pattern.compile(
                    "-----BEGIN PRIVATE KEY-----(.+?)-----END PRIVATE KEY-----", Pattern.DOTALL);

    /** Reads the operator's files. The key must belong to the first certificate of the chain. */
    public static TlsIdentity ofFiles(PemFiles files) {
        try {
            var factory = CertificateFactory.getInstance("X.509");
            var chain =
                    factory.generateCertificates(
                                    new ByteArrayInputStream(
                                            Files.readAllBytes(files.certificates())))
                            .toArray(Certificate[]::new);
            if (chain.length == 0) {
                throw new GeneralSecurityException("the file contains no certificate");
            }
            var key = privateKey(Files.readString(files.key()));
            if (!belongsTo(key, chain[0])) {
                throw new GeneralSecurityException("the key does not belong to the certificate");
            }
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("gateway", key, new char[0], chain);
            return of(store, "", chain[0]);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "Cannot use %s_CERT (%s) and %s_KEY (%s): %s; expected a certificate chain and an unencrypted PKCS#8 key, both as PEM"
                            .formatted(
                                    files.setting(),
                                    files.certificates(),
                                    files.setting(),
                                    files.key(),
                                    e.getMessage()),
                    e);
        }
    }

    /** Reads a key store with one entry. */
    public static TlsIdentity ofStore(Path file, String password)
            throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance(file.toFile(), password.toCharArray());
        var alias = store.aliases().nextElement();
        return of(store, password, store.getCertificate(alias));
    }

    private static TlsIdentity of(KeyStore store, String password, Certificate leaf)
            throws GeneralSecurityException {
        if (!(leaf instanceof X509Certificate certificate)) {
            throw new GeneralSecurityException("the certificate is not an X.509 certificate");
        }
        return new TlsIdentity(store, password, certificate, fingerprint(certificate));
    }

    /** Returns only the certificate as PEM, for clients such as {@code curl --cacert}. */
    public String pem() {
        try {
            var lines = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
            return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
                    .formatted(lines.encodeToString(certificate.getEncoded()));
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException(e); // it was decoded from this encoding
        }
    }

    Instant expiresAt() {
        return certificate.getNotAfter().toInstant();
    }

    private static PrivateKey privateKey(String pem) throws GeneralSecurityException {
        var found = PRIVATE_KEY.matcher(pem);
        if (!found.find()) {
            throw new InvalidKeySpecException("the key file contains no BEGIN PRIVATE KEY line");
        }
        var spec =
                new PKCS8EncodedKeySpec(
                        Base64.getMimeDecoder()
                                .decode(found.group(1).getBytes(StandardCharsets.US_ASCII)));
        for (var algorithm : List.of("RSA", "EC", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(spec);
            } catch (InvalidKeySpecException e) {
                // another algorithm
            }
        }
        throw new InvalidKeySpecException("the key is not an RSA, EC or Ed25519 key");
    }

    private static boolean belongsTo(PrivateKey key, Certificate certificate)
            throws GeneralSecurityException {
        var algorithm =
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> "Ed25519";
                };
        var message = "Ash".getBytes(StandardCharsets.US_ASCII);
        var signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(message);
        var signed = signature.sign();
        try {
            signature.initVerify(certificate.getPublicKey());
            signature.update(message);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // the key has another algorithm
        }
    }

    private static String fingerprint(Certificate certificate) throws GeneralSecurityException {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }
}
