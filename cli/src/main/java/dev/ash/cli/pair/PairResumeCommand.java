package dev.ash.cli.pair;

import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.PairApi;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
        name = "resume",
        description =
                "Go on with a run that was paused, stopped or left, or that ran out of something.")
final class PairResumeCommand extends PairCommand {
    @Mixin PairBudgetOptions budget = new PairBudgetOptions();

    PairResumeCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var more =
                new PairApi.Resume(
                        budget.maxRounds,
                        PairBudgetOptions.millis(budget.timeout),
                        budget.maxTokens,
                        budget.maxCost);
        var pair = pairs().resume(pair().id(), more);
        return print(
                new PairApi.PairResponse(pair),
                "Run %d is %s. To follow it: ash pair watch %s"
                        .formatted(pair.run(), PairText.state(pair), run));
    }
}
