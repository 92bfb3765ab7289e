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
 * The token that a hook must present: {@code ASH_HOOK_TOKEN}, or the content of a file that the
 * first start makes. After a rotation the previous token is accepted until its overlap ends; only
 * its hash is kept, in a file beside the first.
 */
public final class HookToken implements RotatableSecret {
    static final int WRONG_PER_MINUTE = 60;
    static final int EVENTS_PER_MINUTE = 12_000;

    private static final int MAX_PREVIOUS = 8;
    private static final Pattern PREVIOUS = Pattern.compile("([0-9a-f]{64}) (\\d{1,18})");

    private final Path file;
    private final boolean isFixed;
    private final SecureRandom random;
    private final Clock clock;
    private volatile Accepted accepted;

    // Of everybody together: a right token passes whatever the guesses of others are.
    private final RateLimit wrong = new RateLimit(WRONG_PER_MINUTE, System::nanoTime);
    private final RateLimit events = new RateLimit(EVENTS_PER_MINUTE, System::nanoTime);

    /** Tokens are kept as their SHA-256, in hexadecimal. */
    private record Accepted(String hash, long createdAt, List<Previous> previous) {
        boolean has(String presented, long now) {
            return same(hash, presented)
                    || previous.stream()
                            .anyMatch(old -> old.until() > now && same(old.hash(), presented));
        }

        private static boolean same(String one, String other) {
            return MessageDigest.isEqual(
                    one.getBytes(StandardCharsets.US_ASCII),
                    other.getBytes(StandardCharsets.US_ASCII));
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

    /** Makes the file where it is missing, also where the environment has a token for now. */
    public static HookToken open(
            Path file, Optional<String> fromEnvironment, SecureRandom random, Clock clock)
            throws IOException {
        if (!Files.exists(file)) {
            write(file, random(random));
        }
        var token = fromEnvironment.orElse(Files.readString(file).strip());
        if (token.isEmpty()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    file + " is empty; delete it, and the next start makes a new hook token");
        }
        boolean isFixed = fromEnvironment.isPresent();
        var accepted =
                new Accepted(
                        sha256(token),
                        isFixed ? clock.millis() : Files.getLastModifiedTime(file).toMillis(),
                        isFixed ? List.of() : readPrevious(previousFile(file)));
        return new HookToken(file, isFixed, accepted, random, clock);
    }

    private static String random(SecureRandom random) {
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
                        file + " is damaged; delete it, and previous hook tokens stop working");
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

    /** The hash of the old token is on disk first: a crash in between leaves the old one valid. */
    @Override
    public synchronized void rotate(Duration overlap) throws IOException {
        long now = clock.millis();
        var before = accepted;
        var previous = new ArrayList<Previous>();
        if (!overlap.isZero()) {
            previous.add(new Previous(before.hash(), now + overlap.toMillis()));
            before.previous().stream()
                    .filter(old -> old.until() > now)
                    .limit(MAX_PREVIOUS - 1)
                    .forEach(previous::add);
        }
        var token = random(random);
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
                        ? "ASH_HOOK_TOKEN sets it; change the variable and restart the server"
                        : null,
                List.of());
    }

    void check(Optional<String> authorization) {
        var presented = authorization.filter(value -> value.startsWith("Bearer "));
        if (presented.isEmpty()
                || !accepted.has(sha256(presented.get().substring(7)), clock.millis())) {
            throw refusal();
        }
        if (!events.take("")) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "More than %,d hook events came in a minute".formatted(EVENTS_PER_MINUTE));
        }
    }

    private ApiException refusal() {
        return wrong.take("")
                ? new ApiException(
                        ErrorCode.UNAUTHORIZED,
                        "A hook needs Authorization: Bearer with the hook token of this server;"
                                + " `ash hooks install` sets it up")
                : new ApiException(
                        ErrorCode.RATE_LIMITED, "Too many wrong hook tokens; wait a minute");
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
