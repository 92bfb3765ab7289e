package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Excerpt;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.DeviceScopes;
import dev.ash.server.identity.Scope;
import dev.ash.server.repository.BadPathException;
import dev.ash.server.repository.GitFailedException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Creates {@code error} and {@code connection_error} frames, with the id of the failed request. */
final class ErrorFrames {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final int MAX_MESSAGE = 500;

    /** Creates an error that concerns no session. */
    static GatewayFrame of(@Nullable String id, GatewayError code, String message) {
        return of(id, null, code, message);
    }

    static GatewayFrame of(GatewayFrame request, GatewayError code, String message) {
        return of(request.id(), session(request), code, message);
    }

    private static GatewayFrame of(
            @Nullable String id, @Nullable String session, GatewayError code, String message) {
        return GatewayFrame.of(
                        "error",
                        JsonWriter.object()
                                .put("code", code.name())
                                .put("message", shorten(message))
                                .put("session_id", session == null ? null : shorten(session))
                                .put("recoverable", code.recoverable()))
                .withId(id);
    }

    /** Creates the error for a request whose device lacks scopes. */
    static GatewayFrame ofScopes(GatewayFrame request, Set<Scope> missing, Set<Scope> own) {
        return of(
                request,
                GatewayError.SCOPE_MISSING,
                "%s requires the scope %s; this device has %s. Pair it again with that scope"
                        .formatted(
                                request.type(),
                                String.join(" and ", DeviceScopes.names(missing)),
                                String.join(", ", DeviceScopes.names(own))));
    }

    /** Creates the reason for refusing or closing a connection. */
    static GatewayFrame ofConnection(
            String code,
            String message,
            @Nullable String documentation,
            @Nullable String remediation) {
        return GatewayFrame.of(
                "connection_error",
                JsonWriter.object()
                        .put("code", code)
                        .put("message", shorten(message))
                        .put("documentation_url", documentation)
                        .put("remediation", remediation));
    }

    /** Returns the session that the request is about. */
    private static @Nullable String session(GatewayFrame request) {
        try {
            return request.fields().string("session_id").orElse(null);
        } catch (MalformedJsonException e) {
            return null;
        }
    }

    static GatewayFrame of(GatewayFrame request, Exception failure) {
        return switch (failure) {
            case ApiException known ->
                    of(
                            request,
                            GatewayError.of(known.code()),
                            DeviceErrorTexts.of(known.code(), known.message()));
            case GitFailedException git -> of(request, GatewayError.GIT_ERROR, messageOf(git));
            case BadPathException path -> of(request, GatewayError.BRIDGE_ERROR, messageOf(path));
            case MalformedJsonException json ->
                    of(
                            request,
                            GatewayError.BRIDGE_ERROR,
                            "Malformed %s: %s".formatted(request.type(), json.getMessage()));
            default -> {
                LOG.log(System.Logger.Level.ERROR, request.type() + " of a device failed", failure);
                yield of(
                        request,
                        GatewayError.BRIDGE_ERROR,
                        "Internal server error; see the server log for details");
            }
        };
    }

    /** Limits the length of a message, which may quote a long field of a request. */
    static String shorten(String message) {
        return Excerpt.of(message, MAX_MESSAGE);
    }

    private static String messageOf(Exception failure) {
        return String.valueOf(failure.getMessage());
    }

    private ErrorFrames() {}
}
