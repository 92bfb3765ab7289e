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
 * A turn for people: the answer on standard output as it grows, what the agent does meanwhile on
 * standard error. Text comes twice, as deltas (if the engine has them) and as the whole message; it
 * is shown once.
 */
final class TurnPrinter implements EventSink {
    private static final int MAX_NOTICES = 100;
    private static final int MAX_PROMPT = 2_000;

    private final Host host;
    private final StringBuilder streamed = new StringBuilder();
    private final Set<Notice> shownNotices = new HashSet<>(); // of this turn
    private boolean saidSomething;
    private boolean insideLine;

    /** For programs the events as they are, for people a turn. */
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
                say(delta);
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
                if (!saidSomething && result != null && !result.isEmpty()) {
                    say(result); // slash commands answer in no other way
                    endLine();
                }
            }
            case AshStreamEvent.Failed(var error, _) -> {
                endLine();
                host.err().println("ash: " + Printable.text(error));
                host.err().flush();
            }
            case AshStreamEvent.Noticed(var notice) -> notice(notice);
            case AshStreamEvent.Prompt(var content, _) -> prompt(content);
            case AshStreamEvent.Done _ -> {
                endLine();
                saidSomething = false;
                shownNotices.clear();
            }
            case AshStreamEvent.ApprovalRequired _, AshStreamEvent.ApprovalResolved _ ->
                    endLine(); // of approvals Questions tells more
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

    /** Once a turn: an engine repeats it with every attempt. */
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
        var already = streamed.toString();
        streamed.setLength(0);
        if (text.startsWith(already)) {
            say(text.substring(already.length()));
        } else if (!text.equals(already)) {
            endLine();
            say(text);
        }
        endLine();
    }

    private void say(String text) {
        if (text.isEmpty()) {
            return;
        }
        host.out().print(host.terminals().out() ? Printable.text(text) : text);
        host.out().flush();
        saidSomething = true;
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
        var line = Printable.abbreviated(text, 120);
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
