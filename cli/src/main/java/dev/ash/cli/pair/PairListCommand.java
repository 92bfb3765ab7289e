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

@Command(
        name = "list",
        description = "List the runs of pairs, newest first.",
        footer = "Mailboxes that were used without a server: ash mailbox list")
final class PairListCommand extends AshCommand {
    @Option(
            names = "--repo",
            paramLabel = "FOLDER",
            description = "Only those on the repository of this folder.")
    @Nullable String repo;

    PairListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var found =
                client().pairs().list().stream()
                        .filter(this::isWanted)
                        .sorted(Comparator.comparing(Pair::createdAt).reversed())
                        .toList();
        return print(new PairApi.Pairs(found), found.isEmpty() ? "No runs." : table(found));
    }

    private boolean isWanted(Pair pair) {
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
                    Printable.abbreviated(pair.task(), 60));
        }
        return table.toString();
    }
}
