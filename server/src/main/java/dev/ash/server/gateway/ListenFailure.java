package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import java.net.BindException;

/** Describes why the gateway cannot listen, with a remedy. */
final class ListenFailure {
    static String describe(GatewayConfig config, ApiException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return String.valueOf(cause.getMessage()).contains("in use")
                        ? "Port %d on %s is in use by another program; stop that program, or use another port: ash gateway expose %s --port PORT"
                                .formatted(config.port(), config.host(), config.host())
                        : "Cannot listen on %s port %d (%s); use an address of this machine and a port that the server may bind: ash gateway expose ADDRESS --port PORT"
                                .formatted(config.host(), config.port(), cause.getMessage());
            }
        }
        return failure.message();
    }

    private ListenFailure() {}
}
