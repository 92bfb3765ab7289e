package dev.ash.cli.pair;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash pair watch}. */
@Command(
        name = "watch",
        description = "Follow a run until it ends, and show its result.",
        footer = {
            "Exits with the exit code of the run's outcome; Ctrl-C does not stop the run.",
            "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}."
        })
final class PairWatchCommand extends PairCommand {
    @Option(names = "--after", paramLabel = "N", description = "Start after this event number.")
    long after;

    PairWatchCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var pair = pair();
        if (pair.state().equals("interrupted")) {
            throw new CommandException(
                    ExitCode.CONFLICT,
                    "Run %s is not active. Resume it with: ash pair resume %s. Show its log with: ash pair log %s"
                            .formatted(run, run, run));
        }
        return new PairWatch(host, client(), pair, json)
                .run(
                        after,
                        last -> {
                            if (!json) {
                                host.out().println("\n" + PairText.summary(host, last));
                            }
                        });
    }
}
