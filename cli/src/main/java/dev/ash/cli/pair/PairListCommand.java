package dev.ash.cli.pair;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash pair list}. */
@Command(
        name = "list",
        description = "List pair runs, newest first.",
        footer = "For mailboxes used without a server, see: ash mailbox list")
final class PairListCommand extends AshCommand {
    @Option(
            names = "--repo",
            paramLabel = "DIRECTORY",
            description = "Only runs on the repository of this directory.")
    @Nullable String repo;

    PairListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var selected =
                client().pairs().list().stream()
                        .filter(this::isSelected)
                        .sorted(Comparator.comparing(Pair::createdAt).reversed())
                        .toList();
        return print(
                new PairApi.Pairs(selected), selected.isEmpty() ? "No runs." : table(selected));
    }

    private boolean isSelected(Pair pair) {
        return repo == null
                || pair.id()
                        .equals(PairRepository.of(host, repo).pairId(Integer.toString(pair.run())));
    }

    private static String table(List<Pair> pairs) {
        var table = new Table().row("ID", "STATE", "ROUND", "STARTED", "TASK");
        for (var pair : pairs) {
            table.row(
                    pair.id(),
                    PairText.state(pair),
                    pair.round(),
                    pair.createdAt(),
                    Printable.abbreviate(pair.task(), 60));
        }
        return table.toString();
    }
}
