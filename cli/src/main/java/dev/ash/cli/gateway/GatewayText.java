package dev.ash.cli.gateway;

import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;

/** Formats the state of the gateway. */
public final class GatewayText {
    private static final String LOCAL_ONLY =
            " (only this machine can connect; for others: ash gateway expose ADDRESS)";

    private GatewayText() {}

    /** Returns one line with the address, or the reason why it is unavailable. */
    public static String line(HealthResponse.Gateway gateway) {
        return switch (gateway.status()) {
            case GatewayApi.LISTENING -> gateway.url() + (gateway.reachable() ? "" : LOCAL_ONLY);
            case GatewayApi.FAILED -> "not available: " + gateway.problem();
            case GatewayApi.OFF -> "off (ASH_GATEWAY=0)";
            default -> gateway.status();
        };
    }

    static String table(GatewayApi.Gateway gateway) {
        var summary =
                new HealthResponse.Gateway(
                        gateway.status(), gateway.url(), gateway.reachable(), gateway.problem());
        var table = new Table().row("gateway", line(summary));
        table.row("listens on", "%s port %d".formatted(gateway.host(), gateway.port()));
        if (gateway.fingerprint() != null) {
            table.row("fingerprint", gateway.fingerprint());
        }
        if (gateway.note() != null) {
            table.row("note", gateway.note());
        }
        return table.toString();
    }
}
