package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.PairApi;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Implements {@code ash pair resume}. */
@Command(
        name = "resume",
        description =
                "Resume a run that was paused, stopped or interrupted, or that reached a limit.")
final class PairResumeCommand extends PairCommand {
    @Mixin PairBudgetOptions budget = new PairBudgetOptions();

    PairResumeCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var limits =
                new PairApi.Resume(
                        budget.maxRounds,
                        PairBudgetOptions.millis(budget.timeout),
                        budget.maxTokens,
                        budget.maxCost);
        var pair = pairs().resume(pair().id(), limits);
        return print(
                new PairApi.PairResponse(pair),
                "Run %d is %s. Follow it with: ash pair watch %s"
                        .formatted(pair.run(), PairText.state(pair), run));
    }
}
