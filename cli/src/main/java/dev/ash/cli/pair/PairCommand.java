package dev.ash.cli.pair;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.PairsClient;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Base class of subcommands for one pair run. */
abstract class PairCommand extends AshCommand {
    @Parameters(
            index = "0",
            paramLabel = "RUN",
            description =
                    "Id of the run, or its number in the repository of the current directory.")
    String run = "";

    @Option(
            names = "--repo",
            paramLabel = "DIRECTORY",
            description = "A directory in the run's repository. Default: the current one.")
    String repo = "";

    private @Nullable Pair pair;

    PairCommand(Host host) {
        super(host);
    }

    final PairsClient pairs() {
        return client().pairs();
    }

    final String id() {
        return run.matches("\\d+") ? PairRepository.of(host, repo).pairId(run) : run;
    }

    /** Returns the run's state at the first call. */
    final Pair pair() {
        if (pair == null) {
            try {
                pair = pairs().get(id());
            } catch (AshApiException e) {
                throw e.is(ErrorCode.PAIR_NOT_FOUND) ? notFound() : e;
            }
        }
        return pair;
    }

    private CommandException notFound() {
        var inRepository =
                run.matches("\\d+")
                        ? " in the repository " + PairRepository.of(host, repo).repository().top()
                        : "";
        return new CommandException(
                ExitCode.NOT_FOUND,
                "No run %s%s. `ash pair list` lists all runs.".formatted(run, inRepository));
    }
}
