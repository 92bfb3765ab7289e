package dev.ash.cli.pair;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.PairApi.Pair;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.PairsClient;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What the subcommands for one run of a pair have: which. */
abstract class PairCommand extends AshCommand {
    @Parameters(
            index = "0",
            paramLabel = "RUN",
            description = "The run's id, or its number in the repository of this folder.")
    String run = "";

    @Option(
            names = "--repo",
            paramLabel = "FOLDER",
            description = "The repository that the number is of, by default this folder's.")
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

    /** As it was when this was first called. */
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

    private Failure notFound() {
        var where =
                run.matches("\\d+")
                        ? " of the repository " + PairRepository.of(host, repo).found().top()
                        : "";
        return new Failure(
                ExitCode.NOT_FOUND,
                "There is no run %s%s. `ash pair list` shows all.".formatted(run, where));
    }
}
