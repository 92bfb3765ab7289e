package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.tls.Certificates;
import dev.ash.server.tls.PemFiles;
import dev.ash.server.tls.ServerCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * The TLS settings of the REST listener. Plain HTTP on an address that other machines can reach is
 * rejected unless the operator permits it explicitly.
 *
 * @param reachable whether other machines can connect to the port
 * @param files the operator's certificate, if the settings name one
 */
record TlsSettings(Mode mode, boolean reachable, Optional<PemFiles> files) {
    private static final int MIN_KEY_LENGTH = 24;
    private static final int MIN_KEY_CHARACTERS = 6;

    /** {@code PROXY}: a reverse proxy in front of the server terminates TLS. */
    enum Mode {
        OFF,
        ON,
        PROXY;

        String setting() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    static TlsSettings read(Settings settings, String host, Optional<String> apiKey) {
        var mode = mode(settings);
        boolean reachable = !isLoopback(host);
        var files = files(settings, "ASH_TLS");
        if (files.isPresent() && mode != Mode.ON) {
            throw invalid(
                    "ASH_TLS_CERT is set, but the server does not use TLS; set ASH_TLS=on, or remove ASH_TLS_CERT and ASH_TLS_KEY");
        }
        if (reachable && mode == Mode.OFF && !settings.isOn("ASH_INSECURE_HTTP")) {
            throw invalid(
                    "ASH_HOST is \"%s\", which other machines can reach, and without TLS they send API keys in clear text; set ASH_TLS=on for TLS, ASH_TLS=proxy if a proxy or load balancer in front terminates TLS, or ASH_INSECURE_HTTP=1 to accept plain HTTP"
                            .formatted(host));
        }
        if (reachable && apiKey.isPresent() && isWeak(apiKey.get())) {
            throw invalid(
                    "ASH_API_KEY is too short or too simple for a server that other machines can reach: expected at least %d characters that cannot be guessed; generate one with: openssl rand -hex 24"
                            .formatted(MIN_KEY_LENGTH));
        }
        return new TlsSettings(mode, reachable, files);
    }

    /** Reads the two settings that name a certificate and its key. */
    static Optional<PemFiles> files(Settings settings, String prefix) {
        var certificate = settings.text(prefix + "_CERT");
        var key = settings.text(prefix + "_KEY");
        if (certificate.isPresent() != key.isPresent()) {
            throw invalid(
                    "%s_CERT and %s_KEY must be set together; set both or neither"
                            .formatted(prefix, prefix));
        }
        return certificate.map(
                file -> new PemFiles(prefix, Path.of(file), Path.of(key.orElseThrow())));
    }

    static boolean isWeak(String key) {
        return key.length() < MIN_KEY_LENGTH || key.chars().distinct().count() < MIN_KEY_CHARACTERS;
    }

    boolean isOn() {
        return mode == Mode.ON;
    }

    /** Returns the certificate of the REST listener; empty without TLS. */
    Optional<ServerCertificate> certificate(Certificates certificates) throws IOException {
        try {
            return isOn() ? Optional.of(certificates.rest()) : Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while creating a certificate", e);
        }
    }

    /** Returns the URL scheme that clients use. */
    String scheme() {
        return mode == Mode.OFF ? "http" : "https";
    }

    /** Logs warnings about insecure settings at startup. */
    void warn(System.Logger log, Optional<String> apiKey) {
        if (reachable && mode == Mode.OFF) {
            log.log(
                    System.Logger.Level.WARNING,
                    "API KEYS ARE SENT IN CLEAR TEXT: ASH_INSECURE_HTTP is set. Set ASH_TLS=on, or"
                            + " ASH_TLS=proxy if TLS is terminated in front");
        }
        if (apiKey.isPresent() && isWeak(apiKey.get())) {
            log.log(
                    System.Logger.Level.WARNING,
                    "ASH_API_KEY is too short or too simple; every program on this machine can"
                            + " guess it. Generate one with: openssl rand -hex 24");
        }
    }

    private static Mode mode(Settings settings) {
        var value = settings.text("ASH_TLS").orElse("off");
        return Arrays.stream(Mode.values())
                .filter(mode -> mode.setting().equals(value))
                .findFirst()
                .orElseThrow(
                        () ->
                                invalid(
                                        "ASH_TLS is \"%s\"; it must be on, off or proxy"
                                                .formatted(value)));
    }

    /** Returns whether all addresses of the host are loopback addresses. */
    private static boolean isLoopback(String host) {
        try {
            return Arrays.stream(InetAddress.getAllByName(host))
                    .allMatch(InetAddress::isLoopbackAddress);
        } catch (UnknownHostException e) {
            throw invalid(
                    "ASH_HOST is \"%s\", which cannot be resolved; set it to an address or host name of this machine"
                            .formatted(host));
        }
    }

    private static ApiException invalid(String message) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, message);
    }
}
