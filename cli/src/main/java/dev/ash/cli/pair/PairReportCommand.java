package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.PairApi;
import picocli.CommandLine.Command;

/** Implements {@code ash pair report}. */
@Command(name = "report", description = "Print the report of a run in Markdown.")
final class PairReportCommand extends PairCommand {
    PairReportCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var text = pairs().report(pair().id());
        return print(new PairApi.Text(text), Printable.text(text.stripTrailing()));
    }
}
