package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.cli.stream.EventSink;
import dev.ash.cli.stream.JsonLinesSink;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.ToolInput;
import dev.ash.protocol.Excerpt;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notice;
import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.sdk.AssistantText;
import dev.ash.sdk.SseFrame;
import java.util.HashSet;
import java.util.Set;

/**
 * Prints a turn as text: the answer to standard output while it is generated, tool uses and remarks
 * to standard error. Text arrives as deltas, if the engine supports them, and again as a complete
 * message; it is printed once.
 */
final class TurnPrinter implements EventSink {
    private static final int MAX_NOTICES = 100;
    private static final int MAX_PROMPT = 2_000;

    private final Host host;
    private final StringBuilder streamed = new StringBuilder();
    private final Set<Notice> shownNotices = new HashSet<>(); // of this turn
    private boolean hasPrinted;
    private boolean insideLine;

    /** Returns a sink for JSON lines or for text. */
    static EventSink sink(Host host, boolean json) {
        return json ? new JsonLinesSink(host) : new TurnPrinter(host);
    }

    private TurnPrinter(Host host) {
        this.host = host;
    }

    @Override
    public void show(SseFrame frame) {
        switch (frame.toEvent()) {
            case AshStreamEvent.TextDelta(var delta) -> {
                streamed.append(delta);
                print(delta);
            }
            case AshStreamEvent.Message(var data, _) -> message(data);
            case AshStreamEvent.ToolUse(_, var name, var input) ->
                    remark("· " + name + "  " + ToolInput.summary(input));
            case AshStreamEvent.ToolResult(_, var content, var isError) -> {
                if (isError && content != null) {
                    remark("  failed: " + plain(content));
                }
            }
            case AshStreamEvent.TurnComplete(_, var result) -> {
                if (!hasPrinted && result != null && !result.isEmpty()) {
                    print(result); // the only output of slash commands
                    endLine();
                }
            }
            case AshStreamEvent.Failed(var error, _) -> {
                endLine();
                host.err().println("ash: " + Printable.text(error));
                host.err().flush();
            }
            case AshStreamEvent.NoticeEvent(var notice) -> notice(notice);
            case AshStreamEvent.Prompt(var content, _) -> prompt(content);
            case AshStreamEvent.Done _ -> {
                endLine();
                hasPrinted = false;
                shownNotices.clear();
            }
            case AshStreamEvent.ApprovalRequired _, AshStreamEvent.ApprovalResolved _ ->
                    endLine(); // ApprovalPrompts shows approvals
            case AshStreamEvent.SessionStart _,
                    AshStreamEvent.ThinkingDelta _,
                    AshStreamEvent.Unknown _ -> {}
        }
    }

    @Override
    public void note(String text) {
        endLine();
        host.err().println("ash: " + text);
        host.err().flush();
    }

    /** Prints each notice once per turn: an engine repeats it with every retry. */
    private void notice(Notice notice) {
        if (shownNotices.size() < MAX_NOTICES && shownNotices.add(notice)) {
            endLine();
            host.err().println("! " + Printable.line(notice.line()));
            host.err().flush();
        }
    }

    private void prompt(RawJson content) {
        endLine();
        var text = Excerpt.of(Printable.text(plain(content)), MAX_PROMPT);
        text.lines().forEach(line -> host.err().println("> " + line));
        host.err().flush();
    }

    private void message(RawJson data) {
        var text = AssistantText.of(data);
        if (text.isEmpty()) {
            return;
        }
        var printed = streamed.toString();
        streamed.setLength(0);
        if (text.startsWith(printed)) {
            print(text.substring(printed.length()));
        } else if (!text.equals(printed)) {
            endLine();
            print(text);
        }
        endLine();
    }

    private void print(String text) {
        if (text.isEmpty()) {
            return;
        }
        host.out().print(host.terminals().out() ? Printable.text(text) : text);
        host.out().flush();
        hasPrinted = true;
        insideLine = !text.endsWith("\n");
    }

    private void endLine() {
        if (insideLine) {
            host.out().println();
            host.out().flush();
            insideLine = false;
        }
    }

    private void remark(String text) {
        endLine();
        boolean isDimmed = host.terminals().err() && host.variable("NO_COLOR", "").isEmpty();
        var line = Printable.abbreviate(text, 120);
        host.err().println(isDimmed ? "\033[2m" + line + "\033[0m" : line);
        host.err().flush();
    }

    private static String plain(RawJson content) {
        try {
            return JsonObject.text(content).orElse(content.toString());
        } catch (MalformedJsonException e) {
            return content.toString();
        }
    }
}
