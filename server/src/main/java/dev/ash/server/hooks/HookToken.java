package dev.ash.server.hooks;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.http.RateLimit;
import dev.ash.server.store.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/** What a hook must present: {@code ASH_HOOK_TOKEN}, or the one that the first start made. */
public final class HookToken {
    static final int WRONG_PER_MINUTE = 60;
    static final int EVENTS_PER_MINUTE = 12_000;

    private final byte[] hash;

    // Of everybody together: a right token passes whatever the guesses of others are.
    private final RateLimit wrong = new RateLimit(WRONG_PER_MINUTE, System::nanoTime);
    private final RateLimit events = new RateLimit(EVENTS_PER_MINUTE, System::nanoTime);

    HookToken(String token) {
        this.hash = sha256(token);
    }

    /** Makes the file where it is missing, also where the environment has a token for now. */
    public static HookToken open(Path file, Optional<String> fromEnvironment, SecureRandom random)
            throws IOException {
        if (!Files.exists(file)) {
            var bytes = new byte[24];
            random.nextBytes(bytes);
            var made = "ashhook_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
            PrivateFile.write(file, (made + "\n").getBytes(StandardCharsets.UTF_8));
        }
        var token = fromEnvironment.orElse(Files.readString(file).strip());
        if (token.isEmpty()) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    file + " is empty; delete it, and the next start makes a new hook token");
        }
        return new HookToken(token);
    }

    void check(Optional<String> authorization) {
        var presented = authorization.filter(value -> value.startsWith("Bearer "));
        if (presented.isEmpty()
                || !MessageDigest.isEqual(hash, sha256(presented.get().substring(7)))) {
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

    private static byte[] sha256(String token) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
