package dev.ash.cli.agent;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Keyboard;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.sdk.SessionFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash agent delete}. */
@Command(
        name = "delete",
        description = "Delete an agent and end its sessions.",
        footer = "Asks for confirmation on a terminal if the agent has sessions.")
final class AgentDeleteCommand extends AshCommand {
    @Parameters(paramLabel = "NAME", description = "The agent's name.")
    String name = "";

    @Option(
            names = {"-y", "--yes"},
            description = "Skip the confirmation.")
    boolean yes;

    AgentDeleteCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        client().agents().get(name); // fail on an unknown name before asking
        long sessions = count(null) - count("ended");
        if (sessions > 0 && !yes && !json && host.terminals().in()) {
            confirm(sessions);
        }
        client().agents().delete(name);
        return print(
                JsonWriter.object().put("ok", true).put("sessionsEnded", sessions).end(),
                sessions == 0
                        ? "Deleted " + name
                        : "Deleted %s and ended %s".formatted(name, count(sessions)));
    }

    private long count(@Nullable String status) {
        return client().sessions().list(new SessionFilter(name, status, 1, null)).total();
    }

    private void confirm(long sessions) {
        host.err().print("Delete the agent %s and end %s? [y/N] ".formatted(name, count(sessions)));
        host.err().flush();
        try {
            var answer = new Keyboard(host.in()).readLine();
            if (!answer.equalsIgnoreCase("y") && !answer.equalsIgnoreCase("yes")) {
                throw new CommandException("Not deleted. Use --yes to skip the confirmation.");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read the answer", e);
        }
    }

    private static String count(long sessions) {
        return sessions == 1 ? "1 session" : sessions + " sessions";
    }
}
