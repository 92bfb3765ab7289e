package dev.ash.cli.approval;

import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.cli.terminal.ToolInput;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import java.util.ArrayList;
import java.util.List;

/** Formats approvals for the terminal. */
final class ApprovalText {
    static final int SHORT_ID = 8;

    private ApprovalText() {}

    static String shortId(Approval approval) {
        var id = Printable.line(approval.id());
        return id.length() <= SHORT_ID ? id : id.substring(0, SHORT_ID);
    }

    /** Returns one line: the tool and its input, the question, or the plan. */
    static String summary(Approval approval) {
        if (isQuestion(approval)) {
            var questions = UserQuestion.of(input(approval));
            return questions.isEmpty()
                    ? "a question"
                    : Printable.line(questions.getFirst().question());
        }
        if (isPlan(approval)) {
            return "a plan: " + ToolInput.summary(input(approval));
        }
        return (Printable.line(approval.tool()) + "  " + ToolInput.summary(input(approval)))
                .strip();
    }

    /** Returns the input, one member after the other. */
    static List<String> input(Approval approval, boolean shortened) {
        var lines = ToolInput.lines(input(approval));
        return shortened ? ToolInput.truncate(lines, 40, 4_000) : lines;
    }

    /** Returns the outcome: {@code approved by sdk}, {@code rejected by cli: too early}. */
    static String outcome(Approval approval) {
        var outcome = new StringBuilder(approval.status());
        if (approval.decidedBy() != null) {
            outcome.append(" by ").append(approval.decidedBy());
        }
        if ("session".equals(approval.scope())) {
            outcome.append(" for the session");
        }
        if (approval.message() != null) {
            outcome.append(": ").append(approval.message());
        }
        return Printable.line(outcome.toString());
    }

    static String describe(Approval approval) {
        var table = new Table();
        table.row("id", approval.id());
        table.row("session", approval.sessionId());
        table.row("kind", approval.kind());
        table.row("tool", approval.tool());
        if (approval.description() != null) {
            table.row("description", approval.description());
        }
        table.row("status", outcome(approval));
        table.row("asked", approval.createdAt());
        if (approval.decidedAt() != null) {
            table.row("answered", approval.decidedAt());
        }
        if (approval.expiresAt() != null) {
            table.row("expires", approval.expiresAt());
        }
        var lines = new ArrayList<>(List.of(table.toString(), ""));
        lines.addAll(input(approval, false));
        if (approval.decidedInput() != null) {
            lines.add("");
            lines.add("modified input:");
            lines.addAll(ToolInput.lines(approval.decidedInput()));
        }
        return String.join("\n", lines);
    }

    static boolean isQuestion(Approval approval) {
        return "question".equals(approval.kind());
    }

    static boolean isPlan(Approval approval) {
        return "plan".equals(approval.kind());
    }

    /** Returns the input, or an empty object if the server omits it. */
    static RawJson input(Approval approval) {
        RawJson input = approval.input();
        return input == null ? RawJson.EMPTY_OBJECT : input;
    }
}
