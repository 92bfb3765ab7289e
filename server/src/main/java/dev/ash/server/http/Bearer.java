package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Identity;
import org.jspecify.annotations.Nullable;

/** Reads {@code Authorization: Bearer <key>} and identifies the caller, which must be a program. */
record Bearer(Authenticator authenticator) {
    private static final String FORM = "send \"Authorization: Bearer <API key>\"";

    /** Names no path: callers without a key learn nothing about the host. */
    private static final String WHERE =
            ". The first key is in the file initial-api-key of the server's data directory, and in ~/.ash/config.json of the user who ran ash start; ash keys create makes others";

    Identity caller(@Nullable String header) {
        if (header == null) {
            throw refused("Missing Authorization header; " + FORM + WHERE);
        }
        var parts = header.split(" ", -1);
        if (parts.length != 2 || !parts[0].equals("Bearer") || parts[1].isEmpty()) {
            throw refused("Invalid Authorization header format; " + FORM + WHERE);
        }
        return switch (authenticator.authenticate(parts[1]).orElse(null)) {
            case null ->
                    throw refused(
                            "Invalid API key: it is unknown, revoked or expired, or it belongs to another server"
                                    + WHERE);
            case ApiKeyIdentity program -> program;
            case DeviceIdentity _ ->
                    throw refused(
                            "This is a device token, which is for WebSocket connections to the gateway; the API needs an API key (ash keys create)");
        };
    }

    private static ApiException refused(String sentence) {
        return new ApiException(ErrorCode.UNAUTHORIZED, sentence);
    }
}
