package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import picocli.CommandLine.Command;

/** Implements {@code ash pair clean}. */
@Command(
        name = "clean",
        description = "Remove the clones of a run if the repository has all their commits.")
final class PairCleanCommand extends PairCommand {
    PairCleanCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var cleaned = pairs().clean(pair().id());
        print(cleaned, Printable.text(cleaned.sentence()));
        return cleaned.removed() ? 0 : 1;
    }
}
