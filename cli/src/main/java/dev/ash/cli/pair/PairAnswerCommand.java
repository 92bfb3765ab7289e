package dev.ash.cli.pair;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.PairApi;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "answer",
        description = "Decide what the peers of a run disagree on.",
        footer = {
            "go_on   they go on, with your words for both",
            "accept  the work is taken as it is, if its proof is green",
            "reject  the run ends as rejected"
        })
final class PairAnswerCommand extends PairCommand {
    @Parameters(index = "1", paramLabel = "DECISION", description = "go_on, accept or reject.")
    String word = "";

    @Parameters(index = "2..*", arity = "0..*", paramLabel = "WORDS", description = "Why.")
    List<String> words = new ArrayList<>();

    PairAnswerCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var decision =
                PairQuestion.decision(word)
                        .orElseThrow(
                                () ->
                                        new Failure(
                                                ExitCode.USAGE,
                                                "\"%s\" is no decision; expected go_on, accept or reject."
                                                        .formatted(word)));
        var why = words.isEmpty() ? null : String.join(" ", words);
        var pair = pairs().answer(pair().id(), decision, why);
        return print(new PairApi.PairResponse(pair), "Answered: " + decision);
    }
}
