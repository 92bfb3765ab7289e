package dev.ash.bridge.demo;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One turn of the demo, from its first message to its result. */
final class DemoTurn {
    private static final Duration BETWEEN_WORDS = Duration.ofMillis(5);
    private static final Duration BETWEEN_SLOW_WORDS = Duration.ofMillis(100);

    private final EngineSetup setup;
    private final EngineSink sink;
    private final Turn turn;
    private final DemoMessages messages;
    private final boolean asks;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private volatile @Nullable DemoQuestion question;

    /** The answer stops here, and the turn ends as an interrupted one. */
    private static final class Stopped extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Its question waits for another bridge; here nothing more is said. */
    private static final class LaidAside extends Exception {
        private static final long serialVersionUID = 1L;
    }

    DemoTurn(EngineSetup setup, EngineSink sink, Turn turn) {
        this.setup = setup;
        this.sink = sink;
        this.turn = turn;
        this.messages = new DemoMessages(setup.sessionId());
        var mode = setup.config().permissionMode();
        this.asks =
                mode != null && PermissionMode.find(mode).equals(Optional.of(PermissionMode.ASK));
    }

    Turn turn() {
        return turn;
    }

    void stop() {
        stopped.countDown();
        var asked = question;
        if (asked != null) {
            asked.stop();
        }
    }

    /** Reports its end, unless it was laid aside. */
    void run(DemoPrompt prompt, String instructions) {
        perform(
                () -> {
                    if (prompt.count("messages") > 0) {
                        flood(prompt.count("messages"));
                    } else if (prompt.count("slow") > 0) {
                        slowly(prompt.count("slow"));
                    } else {
                        var peer = DemoPeer.of(prompt.text());
                        if (peer.isPresent()) {
                            inPair(peer.get());
                        } else {
                            answer(prompt, instructions);
                        }
                    }
                });
    }

    /** The same from where it was laid aside. */
    void goOn(DemoCall call) {
        perform(() -> conclude(call));
    }

    private interface Script {
        void play() throws Stopped, LaidAside;
    }

    private void perform(Script script) {
        say(messages.init(setup.folders().workspace(), asks));
        try {
            script.play();
            sink.turnEnded(turn, null);
        } catch (Stopped e) {
            interrupted();
        } catch (LaidAside e) {
            turn.end(); // and nobody is told: it goes on later
        }
    }

    private void interrupted() {
        say(messages.interrupted());
        say(messages.aborted(1));
        sink.turnEnded(turn, null);
    }

    private void answer(DemoPrompt prompt, String instructions) throws Stopped, LaidAside {
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
        var call = DemoCall.of(prompt);
        announce(call);
        conclude(call);
    }

    private void inPair(DemoPeer peer) throws Stopped, LaidAside {
        stream(words(peer.opening()), BETWEEN_WORDS);
        if (peer.command() != null) {
            var call = DemoCall.of(DemoPrompt.running(peer.command()));
            announce(call);
            var outcome = asks ? ask(call) : call.run(setup, null);
            say(messages.toolResult(call.id(), outcome.result()));
        }
        stream(words(peer.closing()), BETWEEN_WORDS);
        say(messages.success(peer.closing(), 2));
    }

    /** As the CLI does, the whole message comes before the end of its block. */
    private void announce(DemoCall call) throws Stopped {
        pause(Duration.ZERO);
        var id = DemoMessages.newMessageId();
        hint(messages.messageStart(id));
        hint(messages.toolStart(call.id()));
        hint(messages.inputDelta(call.input().toString()));
        say(messages.toolUse(id, call.id(), call.input()));
        finish("tool_use");
    }

    private void conclude(DemoCall call) throws Stopped, LaidAside {
        var outcome = asks ? ask(call) : call.run(setup, null);
        say(messages.toolResult(call.id(), outcome.result()));
        stream(words(outcome.message()), BETWEEN_WORDS);
        say(messages.success(outcome.message(), 2));
    }

    private DemoCall.Outcome ask(DemoCall call) throws Stopped, LaidAside {
        var mine = new DemoQuestion(call);
        question = mine;
        if (stopped.getCount() == 0) {
            mine.stop();
        }
        sink.ask(turn, call.approval());
        return switch (mine.await()) {
            case DemoQuestion.Decided(var decision) -> {
                question = null;
                call.forget(setup.folders().state());
                yield decision.allow()
                        ? call.run(setup, decision.input())
                        : call.refused(decision.message());
            }
            case DemoQuestion.End.STOPPED -> {
                call.forget(setup.folders().state());
                sink.askedNoMore(turn, call.id());
                throw new Stopped();
            }
            case DemoQuestion.End.LAID_ASIDE -> throw new LaidAside();
        };
    }

    String layAside() throws EngineException {
        var asked = question;
        if (asked == null) {
            throw new EngineException("The turn is not waiting for an answer");
        }
        try {
            asked.call().keep(setup.folders().state());
        } catch (IOException e) {
            throw new EngineException("The question could not be kept: " + e);
        }
        if (!asked.layAside()) {
            asked.call().forget(setup.folders().state());
            throw new EngineException("The question was answered meanwhile");
        }
        return asked.call().id();
    }

    void decide(Approve decision) {
        var asked = question;
        if (asked != null) {
            asked.decide(decision);
        }
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

    private void finish(String stopReason) {
        messages.finished(stopReason).forEach(this::hint);
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
