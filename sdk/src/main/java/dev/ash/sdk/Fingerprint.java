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
 * SHA-256 fingerprint of a server's certificate.
 *
 * @param sha256 64 lower-case hex digits, as shown by {@code ash start}
 */
public record Fingerprint(String sha256) {
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

    public Fingerprint {
        if (!HEX.matcher(sha256).matches()) {
            throw new IllegalArgumentException(
                    "Invalid certificate fingerprint \"%s\": expected a SHA-256 of 64 hex digits."
                            .formatted(sha256));
        }
    }

    /** Parses hex digits in either case, optionally with colons and a {@code sha256:} prefix. */
    public static Fingerprint parse(String text) {
        var hex = text.strip().toLowerCase(Locale.ROOT).replaceFirst("^sha-?256[:=]", "");
        return new Fingerprint(hex.replace(":", ""));
    }

    /** Parses a comma-separated list of fingerprints. */
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
            throw new IllegalStateException(e); // required of every JDK
        }
    }

    @Override
    public String toString() {
        return sha256;
    }
}
