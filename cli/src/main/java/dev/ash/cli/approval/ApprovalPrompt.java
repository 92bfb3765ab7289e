package dev.ash.cli.approval;

import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Editor;
import dev.ash.cli.terminal.Keyboard;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.ToolInput;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.sdk.ApprovalsClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Asks the user on the terminal to decide one approval. */
final class ApprovalPrompt {
    /** The user's answer, ready to be sent. */
    interface Answer {
        Approval send(ApprovalsClient approvals);
    }

    private final Host host;
    private final Keyboard keyboard;
    private final Approval approval;
    private final BooleanSupplier isOpen;

    /** {@code isOpen} returns false once the approval was answered elsewhere. */
    ApprovalPrompt(Host host, Approval approval, BooleanSupplier isOpen) {
        this.host = host;
        this.keyboard = new Keyboard(host.in());
        this.approval = approval;
        this.isOpen = isOpen;
    }

    /** Returns null if the approval was answered elsewhere in the meantime. */
    @Nullable Answer ask() throws IOException, InterruptedException {
        keyboard.discardInput();
        if (ApprovalText.isQuestion(approval)) {
            var questions = UserQuestion.of(ApprovalText.input(approval));
            if (!questions.isEmpty()) {
                return choose(questions);
            }
        }
        return decide();
    }

    private @Nullable Answer choose(List<UserQuestion> questions)
            throws IOException, InterruptedException {
        var typed = new ArrayList<String>();
        while (typed.size() < questions.size()) {
            var question = questions.get(typed.size());
            print(question.lines());
            var hint = question.multiple() ? "comma-separated numbers" : "a number";
            var line = read(hint + " or text, - for no answer");
            if (line == null) {
                return null;
            }
            if (line.equals("-")) {
                return approvals -> approvals.reject(approval.id(), "The user gave no answer.");
            }
            if (!line.isEmpty()) {
                typed.add(line);
            }
        }
        var input = UserQuestion.answers(questions, typed);
        return approvals -> approvals.modify(approval.id(), input);
    }

    private @Nullable Answer decide() throws IOException, InterruptedException {
        var isPlan = ApprovalText.isPlan(approval);
        print(List.of("The agent wants to " + (isPlan ? "continue with this plan:" : use())));
        print(ApprovalText.input(approval, true).stream().map(line -> "    " + line).toList());
        while (true) {
            var line = read(isPlan ? "[y]es / [n]o" : "[y]es / [n]o / [s]ession / [e]dit");
            if (line == null) {
                return null;
            }
            var words = line.split("\\s+", 2);
            switch (words[0].toLowerCase(Locale.ROOT)) {
                case "y", "yes" -> {
                    return approvals -> approvals.approve(approval.id());
                }
                case "n", "no" -> {
                    var reason = words.length > 1 ? words[1] : null;
                    return approvals -> approvals.reject(approval.id(), reason);
                }
                case "s", "session" -> {
                    if (!isPlan) {
                        return approvals -> approvals.approveForSession(approval.id());
                    }
                }
                case "e", "edit" -> {
                    var input = isPlan ? null : editInput();
                    if (input != null) {
                        return approvals -> approvals.modify(approval.id(), input);
                    }
                }
                default ->
                        print(
                                List.of(
                                        "y: allow once, n: reject (add a reason for the agent after n)"
                                                + (isPlan
                                                        ? "."
                                                        : ", s: allow this tool for the rest of the session, e: edit the input.")));
            }
        }
    }

    private String use() {
        var what = "use " + Printable.line(approval.tool());
        return approval.description() == null
                ? what + ":"
                : what + " (" + Printable.line(approval.description()) + "):";
    }

    /** Returns null if the input is unchanged or no longer JSON; then the question is repeated. */
    private @Nullable RawJson editInput() throws IOException, InterruptedException {
        try {
            var before = ToolInput.editable(ApprovalText.input(approval));
            var after = Editor.edit(host, before);
            if (after.equals(before)) {
                print(List.of("The input is unchanged."));
                return null;
            }
            var input = RawJson.of(after.strip()).onOneLine();
            JsonObject.parse(input);
            return input;
        } catch (MalformedJsonException e) {
            print(List.of("Not a JSON object: " + Printable.line("" + e.getMessage())));
            return null;
        }
    }

    private @Nullable String read(String prompt) throws IOException, InterruptedException {
        host.err().print(prompt + " > ");
        host.err().flush();
        return keyboard.readLine(isOpen);
    }

    private void print(List<String> lines) {
        lines.forEach(host.err()::println);
        host.err().flush();
    }
}
