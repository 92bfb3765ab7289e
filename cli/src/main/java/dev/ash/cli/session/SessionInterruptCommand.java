package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import picocli.CommandLine.Command;

/** Implements {@code ash session interrupt}. */
@Command(name = "interrupt", description = "Interrupt the running turn.")
final class SessionInterruptCommand extends SessionCommand {
    SessionInterruptCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var interrupted = sessions().interrupt(id);
        return print(
                new SessionApi.Interrupted(interrupted),
                interrupted ? "Interrupted." : "No turn was running.");
    }
}
