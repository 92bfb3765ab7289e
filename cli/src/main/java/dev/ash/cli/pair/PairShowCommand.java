package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.PairApi;
import picocli.CommandLine.Command;

/** Implements {@code ash pair show}. */
@Command(name = "show", description = "Show the progress and the result of a run.")
final class PairShowCommand extends PairCommand {
    PairShowCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var pair = pair();
        var table = new Table();
        table.row("id", pair.id());
        table.row("repository", pair.repository());
        table.row("task", Printable.abbreviate(pair.task(), 300));
        table.row("mode", pair.mode() + ", " + PairText.peers(pair));
        if (pair.proof() != null) {
            table.row("proof", pair.proof());
        }
        if (pair.outcome() == null) {
            table.row("step", pair.step());
        }
        return print(new PairApi.PairResponse(pair), table + "\n\n" + PairText.summary(host, pair));
    }
}
