package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.DeviceIdentity;
import dev.ash.server.identity.Identity;
import org.jspecify.annotations.Nullable;

/** Authenticates callers by the header {@code Authorization: Bearer <API key>}. */
record BearerAuthentication(Authenticator authenticator) {
    private static final String FORM = "send \"Authorization: Bearer <API key>\"";

    /** Contains no absolute path, which would reveal details of the host to unknown callers. */
    private static final String HINT =
            ". The first key is in the file initial-api-key of the server's data directory, and in ~/.ash/config.json of the user who ran ash start; create others with ash keys create";

    Identity authenticate(@Nullable String header) {
        if (header == null) {
            throw unauthorized("Missing Authorization header; " + FORM + HINT);
        }
        var parts = header.split(" ", -1);
        if (parts.length != 2 || !parts[0].equals("Bearer") || parts[1].isEmpty()) {
            throw unauthorized("Invalid Authorization header format; " + FORM + HINT);
        }
        return switch (authenticator.authenticate(parts[1]).orElse(null)) {
            case null ->
                    throw unauthorized(
                            "Invalid API key: it is unknown, revoked or expired, or it belongs to another server"
                                    + HINT);
            case ApiKeyIdentity caller -> caller;
            case DeviceIdentity _ ->
                    throw unauthorized(
                            "This device token is valid only for WebSocket connections to the gateway; the API needs an API key (create one with ash keys create)");
        };
    }

    private static ApiException unauthorized(String message) {
        return new ApiException(ErrorCode.UNAUTHORIZED, message);
    }
}
