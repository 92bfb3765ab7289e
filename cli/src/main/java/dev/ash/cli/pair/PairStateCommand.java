package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.PairApi;
import dev.ash.protocol.rest.PairApi.Pair;
import picocli.CommandLine.Command;

/** The subcommands that pause or stop a run. */
abstract class PairStateCommand extends PairCommand {
    PairStateCommand(Host host) {
        super(host);
    }

    abstract Pair apply(String id);

    abstract String message(Pair pair);

    @Override
    public final Integer call() {
        var changed = apply(pair().id());
        return print(new PairApi.PairResponse(changed), message(changed));
    }

    @Command(name = "pause", description = "Pause a run after its current step.")
    static final class Pause extends PairStateCommand {
        Pause(Host host) {
            super(host);
        }

        @Override
        Pair apply(String id) {
            return pairs().pause(id);
        }

        @Override
        String message(Pair pair) {
            return "Run %d pauses after the current step. Resume it with: ash pair resume %s"
                    .formatted(pair.run(), run);
        }
    }

    @Command(name = "stop", description = "Stop a run and keep its results.")
    static final class Stop extends PairStateCommand {
        Stop(Host host) {
            super(host);
        }

        @Override
        Pair apply(String id) {
            return pairs().stop(id);
        }

        @Override
        String message(Pair pair) {
            return "Run %d is stopping. Its results are kept: ash pair show %s"
                    .formatted(pair.run(), run);
        }
    }
}
