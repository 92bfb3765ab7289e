package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import java.net.BindException;

/** Why the gateway cannot listen, and what helps. */
final class ListenFailure {
    static String explain(GatewayConfig config, ApiException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return String.valueOf(cause.getMessage()).contains("in use")
                        ? "Port %d on %s is in use by another program; stop that, or choose another port: ash gateway expose %s --port PORT"
                                .formatted(config.port(), config.host(), config.host())
                        : "%s port %d cannot be listened on (%s); choose an address of this machine and a port that the server may use: ash gateway expose ADDRESS --port PORT"
                                .formatted(config.host(), config.port(), cause.getMessage());
            }
        }
        return failure.message();
    }

    private ListenFailure() {}
}
