package dev.ash.cli.pair;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "watch",
        description = "Show what happens in a run as it happens, and what came of it.",
        footer = {
            "Ends with the run, with the exit code of its outcome; Ctrl-C leaves the run going.",
            "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}."
        })
final class PairWatchCommand extends PairCommand {
    @Option(names = "--after", paramLabel = "N", description = "Begin after this event.")
    long after;

    PairWatchCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var pair = pair();
        if (pair.state().equals("interrupted")) {
            throw new Failure(
                    ExitCode.CONFLICT,
                    "Nobody drives run %s. To go on with it: ash pair resume %s. What happened: ash pair log %s"
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
