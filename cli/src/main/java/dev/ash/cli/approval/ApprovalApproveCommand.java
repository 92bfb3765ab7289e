package dev.ash.cli.approval;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

@Command(
        name = "approve",
        description = "Let a tool run, agree to a plan, or answer a question.",
        footer = "The first answer counts; a later one ends with exit code 6.")
final class ApprovalApproveCommand extends ApprovalCommand {
    @ArgGroup How how = new How();

    /** At most one of these. */
    static final class How {
        @Option(
                names = "--session",
                description = "Also every later call of this tool in the same session.")
        boolean session;

        @Option(
                names = "--input",
                paramLabel = "JSON|@FILE",
                description = "Let it run with this input instead.")
        @Nullable String input;

        @Option(
                names = "--answer",
                paramLabel = "TEXT",
                description = "Of a question: the number of a choice or text; one a question.")
        List<String> answers = new ArrayList<>();
    }

    ApprovalApproveCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var input = how.input == null ? null : input(how.input);
        var approval = find();
        if (input != null) {
            return show(approvals().modify(approval.id(), input));
        }
        if (ApprovalText.isQuestion(approval)) {
            return show(approvals().modify(approval.id(), answers(approval)));
        }
        if (!how.answers.isEmpty()) {
            throw new Failure(
                    ExitCode.USAGE,
                    "--answer is for questions, and this is about %s. Approve it without, or change its input with --input."
                            .formatted(approval.tool()));
        }
        return show(
                how.session
                        ? approvals().approveForSession(approval.id())
                        : approvals().approve(approval.id()));
    }

    private RawJson answers(Approval approval) {
        var questions = UserQuestion.of(ApprovalText.input(approval));
        if (questions.isEmpty() || questions.size() != how.answers.size()) {
            var lines = new ArrayList<String>();
            questions.forEach(question -> lines.addAll(question.lines()));
            throw new Failure(
                    ExitCode.USAGE,
                    "This approval is %d questions; give --answer for each, or reject it.%s%s"
                            .formatted(
                                    questions.size(),
                                    lines.isEmpty() ? "" : "\n",
                                    String.join("\n", lines)));
        }
        return UserQuestion.answers(questions, how.answers);
    }

    private RawJson input(String told) {
        var text = told;
        if (told.startsWith("@")) {
            try {
                text = Files.readString(host.resolve(told.substring(1)));
            } catch (IOException e) {
                throw new UncheckedIOException(
                        "The input cannot be read from " + told.substring(1), e);
            }
        }
        try {
            var input = RawJson.of(text.strip()).onOneLine();
            JsonObject.parse(input);
            return input;
        } catch (MalformedJsonException e) {
            throw new Failure(
                    ExitCode.USAGE,
                    "--input is not a JSON object (%s). Give one like '{\"command\":\"ls\"}', or @FILE with one."
                            .formatted(e.getMessage()));
        }
    }
}
