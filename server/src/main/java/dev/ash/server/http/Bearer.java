package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import org.jspecify.annotations.Nullable;

/** Reads {@code Authorization: Bearer <key>} and asks whose key it is. */
record Bearer(Authenticator keys) {
    Identity caller(@Nullable String header) {
        if (header == null) {
            throw refused("Missing Authorization header");
        }
        var parts = header.split(" ", -1);
        if (parts.length != 2 || !parts[0].equals("Bearer") || parts[1].isEmpty()) {
            throw refused("Invalid Authorization header format");
        }
        return keys.authenticate(parts[1]).orElseThrow(() -> refused("Invalid API key"));
    }

    private static ApiException refused(String sentence) {
        return new ApiException(ErrorCode.UNAUTHORIZED, sentence);
    }
}
