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

/** One approval, asked on the terminal. */
final class Question {
    /** The person's answer, ready to be sent. */
    interface Answer {
        Approval give(ApprovalsClient approvals);
    }

    private final Host host;
    private final Keyboard keyboard;
    private final Approval approval;
    private final BooleanSupplier open;

    /** {@code open} is false as soon as somebody else has answered. */
    Question(Host host, Approval approval, BooleanSupplier open) {
        this.host = host;
        this.keyboard = new Keyboard(host.in());
        this.approval = approval;
        this.open = open;
    }

    /** Null where it was answered elsewhere meanwhile. */
    @Nullable Answer ask() throws IOException, InterruptedException {
        keyboard.forget();
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
            say(question.lines());
            var hint = question.several() ? "numbers with commas" : "a number";
            var line = read(hint + " or your own words, - for no answer");
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
        say(List.of("The agent wants to " + (isPlan ? "go on with this plan:" : use())));
        say(ApprovalText.input(approval, true).stream().map(line -> "    " + line).toList());
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
                    var why = words.length > 1 ? words[1] : null;
                    return approvals -> approvals.reject(approval.id(), why);
                }
                case "s", "session" -> {
                    if (!isPlan) {
                        return approvals -> approvals.approveForSession(approval.id());
                    }
                }
                case "e", "edit" -> {
                    var input = isPlan ? null : edited();
                    if (input != null) {
                        return approvals -> approvals.modify(approval.id(), input);
                    }
                }
                default ->
                        say(
                                List.of(
                                        "y lets it run once, n does not (n and a reason tells the agent why)"
                                                + (isPlan
                                                        ? "."
                                                        : ", s lets this tool run for the rest of the session, e opens its input in your editor.")));
            }
        }
    }

    private String use() {
        var what = "use " + Printable.line(approval.tool());
        return approval.description() == null
                ? what + ":"
                : what + " (" + Printable.line(approval.description()) + "):";
    }

    /** Null, and the question again, where nothing was changed or it is not JSON any more. */
    private @Nullable RawJson edited() throws IOException, InterruptedException {
        try {
            var before = ToolInput.editable(ApprovalText.input(approval));
            var after = Editor.edit(host, before);
            if (after.equals(before)) {
                say(List.of("Nothing was changed."));
                return null;
            }
            var input = RawJson.of(after.strip()).onOneLine();
            JsonObject.parse(input);
            return input;
        } catch (MalformedJsonException e) {
            say(List.of("That is not a JSON object: " + Printable.line("" + e.getMessage())));
            return null;
        }
    }

    private @Nullable String read(String prompt) throws IOException, InterruptedException {
        host.err().print(prompt + " > ");
        host.err().flush();
        return keyboard.line(open);
    }

    private void say(List<String> lines) {
        lines.forEach(host.err()::println);
        host.err().flush();
    }
}
