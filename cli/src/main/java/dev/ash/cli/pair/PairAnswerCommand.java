package dev.ash.cli.pair;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.PairApi;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Implements {@code ash pair answer}. */
@Command(
        name = "answer",
        description = "Decide a disagreement between the peers of a run.",
        footer = {
            "go_on   continue, with your message for both peers",
            "accept  accept the work as it is, if its proof is green",
            "reject  end the run as rejected"
        })
final class PairAnswerCommand extends PairCommand {
    @Parameters(index = "1", paramLabel = "DECISION", description = "go_on, accept or reject.")
    String decisionName = "";

    @Parameters(index = "2..*", arity = "0..*", paramLabel = "TEXT", description = "Reason.")
    List<String> words = new ArrayList<>();

    PairAnswerCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var decision =
                DisagreementPrompt.decision(decisionName)
                        .orElseThrow(
                                () ->
                                        new CommandException(
                                                ExitCode.USAGE,
                                                "Invalid decision \"%s\": expected go_on, accept or reject."
                                                        .formatted(decisionName)));
        var reason = words.isEmpty() ? null : String.join(" ", words);
        var pair = pairs().answer(pair().id(), decision, reason);
        return print(new PairApi.PairResponse(pair), "Answered: " + decision);
    }
}
