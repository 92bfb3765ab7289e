package dev.ash.cli.stream;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.sdk.AshException;
import dev.ash.sdk.Patience;
import java.time.Duration;

/** Tells the person that the server is away, and that it is back. */
public record Reconnection(EventSink sink) implements Patience.Listener {
    private static final String VARIABLE = "ASH_RECONNECT_MS";

    public static Patience patience(Host host, EventSink sink) {
        var told = host.variable(VARIABLE, "300000");
        if (!told.matches("\\d{1,15}")) {
            throw new Failure(
                    ExitCode.USAGE,
                    "%s is \"%s\". It is a number of milliseconds: how long a lost connection is tried again."
                            .formatted(VARIABLE, told));
        }
        return new Patience(Duration.ofMillis(Long.parseLong(told)), new Reconnection(sink));
    }

    @Override
    public void lost(AshException why) {
        sink.note("connection lost, waiting for the server…");
    }

    @Override
    public void regained() {
        sink.note("connected again");
    }
}
