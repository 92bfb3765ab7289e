package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import picocli.CommandLine.Command;

/** The subcommands that hold a run up. */
abstract class PairStateCommand extends PairCommand {
    PairStateCommand(Host host) {
        super(host);
    }

    abstract Pair move(String id);

    abstract String told(Pair pair);

    @Override
    public final Integer call() {
        var moved = move(pair().id());
        return print(new PairApi.PairResponse(moved), told(moved));
    }

    @Command(name = "pause", description = "Pause a run after the step that it is at.")
    static final class Pause extends PairStateCommand {
        Pause(Host host) {
            super(host);
        }

        @Override
        Pair move(String id) {
            return pairs().pause(id);
        }

        @Override
        String told(Pair pair) {
            return "Run %d pauses after this step. To go on: ash pair resume %s"
                    .formatted(pair.run(), run);
        }
    }

    @Command(name = "stop", description = "Stop a run; what it did so far is kept.")
    static final class Stop extends PairStateCommand {
        Stop(Host host) {
            super(host);
        }

        @Override
        Pair move(String id) {
            return pairs().stop(id);
        }

        @Override
        String told(Pair pair) {
            return "Run %d stops. What it did is kept: ash pair show %s".formatted(pair.run(), run);
        }
    }
}
