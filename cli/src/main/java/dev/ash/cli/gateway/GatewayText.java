package dev.ash.cli.gateway;

import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.GatewayApi;
import dev.ash.protocol.rest.HealthResponse;

/** The gateway in words. */
public final class GatewayText {
    private static final String ONLY_HERE =
            " (only this machine can connect; for others: ash gateway expose ADDRESS)";

    private GatewayText() {}

    /** In one line: where it is, and what stands in the way. */
    public static String line(HealthResponse.Gateway gateway) {
        return switch (gateway.status()) {
            case GatewayApi.LISTENING -> gateway.url() + (gateway.reachable() ? "" : ONLY_HERE);
            case GatewayApi.FAILED -> "not available: " + gateway.problem();
            case GatewayApi.OFF -> "off (ASH_GATEWAY=0)";
            default -> gateway.status();
        };
    }

    static String table(GatewayApi.Gateway gateway) {
        var inShort =
                new HealthResponse.Gateway(
                        gateway.status(), gateway.url(), gateway.reachable(), gateway.problem());
        var table = new Table().row("gateway", line(inShort));
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
