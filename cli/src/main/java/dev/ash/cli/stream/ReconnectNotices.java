package dev.ash.cli.stream;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.sdk.AshException;
import dev.ash.sdk.ReconnectPolicy;
import java.time.Duration;

/** Informs the user when the connection to the server is lost and when it is restored. */
public record ReconnectNotices(EventSink sink) implements ReconnectPolicy.Listener {
    private static final String VARIABLE = "ASH_RECONNECT_MS";

    public static ReconnectPolicy policy(Host host, EventSink sink) {
        var value = host.variable(VARIABLE, "300000");
        if (!value.matches("\\d{1,15}")) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "Invalid %s \"%s\": expected the maximum time for reconnecting in milliseconds."
                            .formatted(VARIABLE, value));
        }
        return new ReconnectPolicy(
                Duration.ofMillis(Long.parseLong(value)), new ReconnectNotices(sink));
    }

    @Override
    public void onDisconnect(AshException cause) {
        sink.note("connection lost, waiting for the server…");
    }

    @Override
    public void onReconnect() {
        sink.note("reconnected");
    }
}
