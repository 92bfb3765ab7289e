package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.SessionApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session events}. */
@Command(name = "events", description = "Show the events of a session.")
final class SessionEventsCommand extends SessionCommand {
    @Option(names = "--after", paramLabel = "N", description = "Only events after this number.")
    long after;

    @Option(names = "--limit", paramLabel = "N", description = "Maximum number of events.")
    @Nullable Integer limit;

    @Option(names = "--type", paramLabel = "TYPE", description = "Only events of this type.")
    @Nullable String type;

    SessionEventsCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var events = sessions().events(id, after, limit, type);
        var table = new Table().row("N", "TIME", "TYPE", "DATA");
        for (var event : events) {
            var data = event.data() == null ? "" : Printable.abbreviate(event.data(), 100);
            table.row(event.sequence(), event.createdAt(), event.type(), data);
        }
        return events.isEmpty()
                ? printList(new SessionApi.Events(events), "", "No events.")
                : print(new SessionApi.Events(events), table.toString());
    }
}
