package dev.ash.server.hooks;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.SecretApi;
import dev.ash.server.http.RateLimit;
import dev.ash.server.secret.RotatableSecret;
import dev.ash.server.store.PrivateFile;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Checks the token that hooks must present: {@code ASH_HOOK_TOKEN}, or the content of a file that
 * the first start creates. After a rotation the previous token is accepted until its overlap ends;
 * only its hash is stored, in a second file.
 */
public final class HookToken implements RotatableSecret {
    static final int FAILURES_PER_MINUTE = 60;
    static final int EVENTS_PER_MINUTE = 12_000;

    private static final int MAX_PREVIOUS = 8;
    private static final Pattern PREVIOUS = Pattern.compile("([0-9a-f]{64}) (\\d{1,18})");

    private final Path file;
    private final boolean isFixed;
    private final SecureRandom random;
    private final Clock clock;
    private volatile Accepted accepted;

    // Shared by all callers: a valid token is accepted regardless of failed attempts.
    private final RateLimit failures = new RateLimit(FAILURES_PER_MINUTE, System::nanoTime);
    private final RateLimit events = new RateLimit(EVENTS_PER_MINUTE, System::nanoTime);

    /** The SHA-256 hashes of accepted tokens, in hexadecimal. */
    private record Accepted(String hash, long createdAt, List<Previous> previous) {
        boolean contains(String presented, long now) {
            return isEqual(hash, presented)
                    || previous.stream()
                            .anyMatch(old -> old.until() > now && isEqual(old.hash(), presented));
        }

        private static boolean isEqual(String first, String second) {
            return MessageDigest.isEqual(
                    first.getBytes(StandardCharsets.US_ASCII),
                    second.getBytes(StandardCharsets.US_ASCII));
        }
    }

    private record Previous(String hash, long until) {}

    private HookToken(
            Path file, boolean isFixed, Accepted accepted, SecureRandom random, Clock clock) {
        this.file = file;
        this.isFixed = isFixed;
        this.accepted = accepted;
        this.random = random;
        this.clock = clock;
    }

    /** Opens the token; creates the file if it is missing, even if the environment has a token. */
    public static HookToken open(
            Path file, Optional<String> fromEnvironment, SecureRandom random, Clock clock)
            throws IOException {
        if (!Files.exists(file)) {
            write(file, newToken(random));
        }
        var token = fromEnvironment.orElse(Files.readString(file).strip());
        if (token.isEmpty()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    file + " is empty; delete it, and the next start creates a new hook token");
        }
        boolean isFixed = fromEnvironment.isPresent();
        var accepted =
                new Accepted(
                        sha256(token),
                        isFixed ? clock.millis() : Files.getLastModifiedTime(file).toMillis(),
                        isFixed ? List.of() : readPrevious(previousFile(file)));
        return new HookToken(file, isFixed, accepted, random, clock);
    }

    private static String newToken(SecureRandom random) {
        var bytes = new byte[24];
        random.nextBytes(bytes);
        return "ashhook_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static void write(Path file, String token) throws IOException {
        PrivateFile.write(file, (token + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static Path previousFile(Path file) {
        return file.resolveSibling(file.getFileName() + ".previous");
    }

    private static List<Previous> readPrevious(Path file) throws IOException {
        if (!Files.exists(file)) {
            return List.of();
        }
        var previous = new ArrayList<Previous>();
        for (var line : Files.readAllLines(file)) {
            var words = PREVIOUS.matcher(line);
            if (!words.matches()) {
                throw new IOException(
                        file + " is corrupt; delete it, which revokes previous hook tokens");
            }
            previous.add(new Previous(words.group(1), Long.parseLong(words.group(2))));
        }
        return previous;
    }

    private void writePrevious(List<Previous> previous) throws IOException {
        var lines = new StringBuilder();
        for (var old : previous) {
            lines.append(old.hash()).append(' ').append(old.until()).append('\n');
        }
        PrivateFile.write(previousFile(file), lines.toString().getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public String name() {
        return "hook-token";
    }

    @Override
    public boolean isRotatable() {
        return !isFixed;
    }

    /** Writes the hash of the old token first, so that a crash in between leaves it valid. */
    @Override
    public synchronized void rotate(Duration overlap) throws IOException {
        long now = clock.millis();
        var current = accepted;
        var previous = new ArrayList<Previous>();
        if (!overlap.isZero()) {
            previous.add(new Previous(current.hash(), now + overlap.toMillis()));
            current.previous().stream()
                    .filter(old -> old.until() > now)
                    .limit(MAX_PREVIOUS - 1)
                    .forEach(previous::add);
        }
        var token = newToken(random);
        writePrevious(previous);
        write(file, token);
        accepted = new Accepted(sha256(token), now, List.copyOf(previous));
    }

    @Override
    public synchronized void revokePrevious() throws IOException {
        if (!accepted.previous().isEmpty()) {
            writePrevious(List.of());
            accepted = new Accepted(accepted.hash(), accepted.createdAt(), List.of());
        }
    }

    @Override
    public SecretApi.Secret status() {
        var now = clock.millis();
        var tokens = accepted;
        long until =
                tokens.previous().stream()
                        .mapToLong(Previous::until)
                        .filter(time -> time > now)
                        .max()
                        .orElse(0);
        return new SecretApi.Secret(
                name(),
                tokens.hash().substring(0, 16),
                Timestamps.iso(tokens.createdAt()),
                isFixed ? SecretApi.FIXED : until == 0 ? SecretApi.CURRENT : SecretApi.OVERLAP,
                until == 0 ? null : Timestamps.iso(until),
                isFixed
                        ? "Set by ASH_HOOK_TOKEN; change the variable and restart the server"
                        : null,
                List.of());
    }

    void check(Optional<String> authorization) {
        var presented = authorization.filter(value -> value.startsWith("Bearer "));
        if (presented.isEmpty()
                || !accepted.contains(sha256(presented.get().substring(7)), clock.millis())) {
            throw unauthorized();
        }
        if (!events.tryAcquire("")) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "More than %,d hook events in one minute; retry in one minute"
                            .formatted(EVENTS_PER_MINUTE));
        }
    }

    private ApiException unauthorized() {
        return failures.tryAcquire("")
                ? new ApiException(
                        ErrorCode.UNAUTHORIZED,
                        "Hooks require Authorization: Bearer with the hook token of this server; set it"
                                + " up with `ash hooks install`")
                : new ApiException(
                        ErrorCode.RATE_LIMITED,
                        "Too many requests with an invalid hook token; retry in one minute");
    }

    private static String sha256(String token) {
        try {
            var hash =
                    MessageDigest.getInstance("SHA-256")
                            .digest(token.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
