package dev.ash.sdk;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The SHA-256 of a server's certificate, as 64 lower-case hex digits.
 *
 * @param sha256 what {@code ash start} shows and {@code openssl x509 -fingerprint -sha256} prints
 */
public record Fingerprint(String sha256) {
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

    public Fingerprint {
        if (!HEX.matcher(sha256).matches()) {
            throw new IllegalArgumentException(
                    "\"%s\" is not the fingerprint of a certificate. It is its SHA-256, 64 hex digits."
                            .formatted(sha256));
        }
    }

    /** With or without colons and a leading {@code sha256:}, in upper or lower case. */
    public static Fingerprint parse(String text) {
        var hex = text.strip().toLowerCase(Locale.ROOT).replaceFirst("^sha-?256[:=]", "");
        return new Fingerprint(hex.replace(":", ""));
    }

    /** One or more, with commas between them. */
    public static Set<Fingerprint> parseAll(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(Fingerprint::parse)
                .collect(Collectors.toUnmodifiableSet());
    }

    static Fingerprint of(X509Certificate certificate) throws CertificateEncodingException {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded());
            return new Fingerprint(HexFormat.of().formatHex(digest));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    @Override
    public String toString() {
        return sha256;
    }
}
