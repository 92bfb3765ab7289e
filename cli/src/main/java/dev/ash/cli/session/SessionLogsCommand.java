package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import java.util.ArrayList;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session logs}. */
@Command(name = "logs", description = "Show the output of the processes in a session's sandbox.")
final class SessionLogsCommand extends SessionCommand {
    @Option(names = "--after", paramLabel = "N", description = "Only lines after this number.")
    long after = -1;

    SessionLogsCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var logs = sessions().logs(id, after);
        var lines = new ArrayList<String>();
        for (var line : logs.logs()) {
            lines.add("%s %s %s".formatted(line.ts(), line.level(), Printable.line(line.text())));
        }
        return lines.isEmpty()
                ? printList(logs, "", "No output.")
                : print(logs, String.join("\n", lines));
    }
}
