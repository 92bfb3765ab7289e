package dev.ash.bridge.demo;

import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.exec.Shell;
import dev.ash.bridge.exec.ShellResult;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One turn of the demo, from its first message to its result. */
final class DemoTurn {
    private static final Duration BETWEEN_WORDS = Duration.ofMillis(5);
    private static final Duration BETWEEN_SLOW_WORDS = Duration.ofMillis(100);
    private static final Duration TOOL_TIMEOUT = Duration.ofSeconds(10);
    private static final String COMMAND = "ls -la";

    private final EngineSetup setup;
    private final EngineSink sink;
    private final Turn turn;
    private final DemoMessages messages;
    private final CountDownLatch stopped = new CountDownLatch(1);

    /** The answer stops here, and the turn ends as an interrupted one. */
    private static final class Stopped extends Exception {
        private static final long serialVersionUID = 1L;
    }

    DemoTurn(EngineSetup setup, EngineSink sink, Turn turn) {
        this.setup = setup;
        this.sink = sink;
        this.turn = turn;
        this.messages = new DemoMessages(setup.sessionId());
    }

    Turn turn() {
        return turn;
    }

    void stop() {
        stopped.countDown();
    }

    void run(DemoPrompt prompt, String instructions) {
        say(messages.init(setup.folders().workspace()));
        try {
            if (prompt.count("messages") > 0) {
                flood(prompt.count("messages"));
            } else if (prompt.count("slow") > 0) {
                slowly(prompt.count("slow"));
            } else {
                answer(prompt, instructions);
            }
        } catch (Stopped e) {
            say(messages.interrupted());
            say(messages.aborted(1));
        }
    }

    private void answer(DemoPrompt prompt, String instructions) throws Stopped {
        var opening =
                "This is Ash's demo engine: no model is behind it, and nothing left this machine. "
                        + "You said: “"
                        + prompt.quoted()
                        + "”. "
                        + (instructions.isEmpty()
                                ? "This agent has no CLAUDE.md. "
                                : "My CLAUDE.md begins with: “" + instructions + "”. ")
                        + "Let me look at the workspace.";
        stream(words(opening), BETWEEN_WORDS);
        var result = useTool();
        var closing =
                "The command `"
                        + COMMAND
                        + "` ended with exit code "
                        + result.exitCode()
                        + " and printed "
                        + result.stdout().lines().count()
                        + " lines. With an API key and the Claude Code program, the same session"
                        + " would be answered by Claude.";
        stream(words(closing), BETWEEN_WORDS);
        say(messages.success(closing, 2));
    }

    private void slowly(int count) throws Stopped {
        var words = new ArrayList<String>();
        for (int i = 1; i <= count; i++) {
            words.add("word-" + i + " ");
        }
        stream(words, BETWEEN_SLOW_WORDS);
        say(messages.success("The demo said " + count + " words.", 1));
    }

    private void flood(int count) throws Stopped {
        for (int i = 1; i <= count; i++) {
            pause(Duration.ZERO);
            say(messages.text(DemoMessages.newMessageId(), "message " + i + " of " + count));
        }
        say(messages.success(count + " messages", 1));
    }

    /** As the CLI does, the whole message comes before the end of its block. */
    private void stream(List<String> words, Duration pause) throws Stopped {
        var id = DemoMessages.newMessageId();
        var text = new StringBuilder();
        hint(messages.messageStart(id));
        hint(messages.textStart());
        try {
            for (var word : words) {
                pause(partial() || pause.equals(BETWEEN_SLOW_WORDS) ? pause : Duration.ZERO);
                text.append(word);
                hint(messages.textDelta(word));
            }
        } finally {
            if (!text.isEmpty()) {
                say(messages.text(id, text.toString()));
            }
        }
        finish("end_turn");
    }

    private ShellResult useTool() throws Stopped {
        pause(Duration.ZERO);
        var id = DemoMessages.newMessageId();
        var toolUseId = "toolu_demo_" + UUID.randomUUID().toString().replace("-", "");
        var input = JsonWriter.object().put("command", COMMAND);
        var call = input.put("description", "List the workspace").end();
        hint(messages.messageStart(id));
        hint(messages.toolStart(toolUseId));
        hint(messages.inputDelta(call.toString()));
        say(messages.toolUse(id, toolUseId, call));
        finish("tool_use");
        var result = runTool();
        say(messages.toolResult(toolUseId, result));
        return result;
    }

    private ShellResult runTool() {
        try (var shell = Shell.start(COMMAND, setup.folders().workspace(), setup.environment())) {
            return shell.await(TOOL_TIMEOUT);
        } catch (IOException e) {
            return new ShellResult(ShellResult.NOT_STARTED, "", "The tool failed: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ShellResult(ShellResult.NOT_STARTED, "", "The tool was stopped");
        }
    }

    private void finish(String stopReason) {
        hint(messages.blockStop());
        hint(messages.messageDelta(stopReason));
        hint(messages.messageStop());
    }

    private static List<String> words(String text) {
        var words = new ArrayList<String>();
        int from = 0;
        for (int space = text.indexOf(' '); space >= 0; space = text.indexOf(' ', from)) {
            words.add(text.substring(from, space + 1));
            from = space + 1;
        }
        words.add(text.substring(from));
        return words;
    }

    private boolean partial() {
        return turn.options().includePartialMessages();
    }

    private void hint(RawJson data) {
        if (partial()) {
            say(data);
        }
    }

    private void say(RawJson data) {
        sink.message(turn, data);
    }

    private void pause(Duration length) throws Stopped {
        try {
            if (stopped.await(length.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new Stopped();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Stopped();
        }
    }
}
