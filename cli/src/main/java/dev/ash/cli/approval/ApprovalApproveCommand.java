package dev.ash.cli.approval;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash approvals approve}. */
@Command(
        name = "approve",
        description = "Approve a tool call or a plan, or answer a question.",
        footer = "The first answer counts; a later one exits with code 6.")
final class ApprovalApproveCommand extends ApprovalCommand {
    @ArgGroup Decision decision = new Decision();

    /** Options of which at most one is allowed. */
    static final class Decision {
        @Option(
                names = "--session",
                description = "Approve later calls of this tool in the session, too.")
        boolean session;

        @Option(
                names = "--input",
                paramLabel = "JSON|@FILE",
                description = "Run the tool with this input instead.")
        @Nullable String input;

        @Option(
                names = "--answer",
                paramLabel = "TEXT",
                description =
                        "Answer to a question: number of a choice, or text; repeat for each question.")
        List<String> answers = new ArrayList<>();
    }

    ApprovalApproveCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var input = decision.input == null ? null : input(decision.input);
        var approval = find();
        if (input != null) {
            return show(approvals().modify(approval.id(), input));
        }
        if (ApprovalText.isQuestion(approval)) {
            return show(approvals().modify(approval.id(), answers(approval)));
        }
        if (!decision.answers.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--answer is only for questions, but this approval is for %s. Omit it, or change the input with --input."
                            .formatted(approval.tool()));
        }
        return show(
                decision.session
                        ? approvals().approveForSession(approval.id())
                        : approvals().approve(approval.id()));
    }

    private RawJson answers(Approval approval) {
        var questions = UserQuestion.of(ApprovalText.input(approval));
        if (questions.isEmpty() || questions.size() != decision.answers.size()) {
            var lines = new ArrayList<String>();
            questions.forEach(question -> lines.addAll(question.lines()));
            throw new CommandException(
                    ExitCode.USAGE,
                    "This approval has %d questions; specify --answer for each, or reject it.%s%s"
                            .formatted(
                                    questions.size(),
                                    lines.isEmpty() ? "" : "\n",
                                    String.join("\n", lines)));
        }
        return UserQuestion.answers(questions, decision.answers);
    }

    private RawJson input(String value) {
        var text = value;
        if (value.startsWith("@")) {
            try {
                text = Files.readString(host.resolve(value.substring(1)));
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "Cannot read the input from " + value.substring(1), e);
            }
        }
        try {
            var input = RawJson.of(text.strip()).onOneLine();
            JsonObject.parse(input);
            return input;
        } catch (MalformedJsonException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--input is not a JSON object (%s). Specify an object such as '{\"command\":\"ls\"}', or @FILE."
                            .formatted(e.getMessage()));
        }
    }
}
