package dev.ash.cli;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.sdk.AssistantText;
import dev.ash.sdk.SseFrame;
import java.util.List;

/**
 * A turn for people: the answer on standard output as it grows, what the agent does meanwhile on
 * standard error. Text comes twice, as deltas (if the engine has them) and as the whole message; it
 * is shown once.
 */
final class TurnPrinter implements EventSink {
    private static final List<String> TELLING_INPUTS =
            List.of("command", "file_path", "path", "pattern", "url", "query", "prompt");

    private final Host host;
    private final StringBuilder streamed = new StringBuilder();
    private boolean saidSomething;
    private boolean insideLine;

    TurnPrinter(Host host) {
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
                    remark("· " + name + "  " + summary(input));
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
            case AshStreamEvent.Done _ -> endLine();
            case AshStreamEvent.SessionStart _,
                    AshStreamEvent.ThinkingDelta _,
                    AshStreamEvent.ApprovalRequired _,
                    AshStreamEvent.ApprovalResolved _,
                    AshStreamEvent.Unknown _ -> {}
        }
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

    /** The one input that tells most, or all of it in short. */
    private static String summary(RawJson input) {
        try {
            var object = JsonObject.parse(input);
            for (var name : TELLING_INPUTS) {
                var value = object.string(name);
                if (value.isPresent()) {
                    return value.get();
                }
            }
        } catch (MalformedJsonException e) {
            // shown as it is
        }
        return input.equals(RawJson.EMPTY_OBJECT) ? "" : input.toString();
    }

    private static String plain(RawJson content) {
        try {
            return JsonObject.text(content).orElse(content.toString());
        } catch (MalformedJsonException e) {
            return content.toString();
        }
    }
}
