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

    /** Thrown to end an interrupted turn. */
    private static final class Stopped extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** Thrown to end a turn whose question is deferred, without a report. */
    private static final class Deferred extends Exception {
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
        var openQuestion = question;
        if (openQuestion != null) {
            openQuestion.stop();
        }
    }

    /** Runs the turn and reports its end, unless its question is deferred. */
    void run(DemoPrompt prompt, String instructions) {
        runScript(
                () -> {
                    if (prompt.count("messages") > 0) {
                        sendMessages(prompt.count("messages"));
                    } else if (prompt.count("slow") > 0) {
                        streamSlowly(prompt.count("slow"));
                    } else {
                        var peer = DemoPeer.of(prompt.text());
                        if (peer.isPresent()) {
                            runPeer(peer.get());
                        } else {
                            answer(prompt, instructions);
                        }
                    }
                });
    }

    /** Continues a turn from its deferred question. */
    void continueFrom(DemoCall call) {
        runScript(() -> finishCall(call));
    }

    private interface Script {
        void run() throws Stopped, Deferred;
    }

    private void runScript(Script script) {
        send(messages.init(setup.directories().workspace(), asks));
        try {
            script.run();
            sink.turnEnded(turn, null);
        } catch (Stopped e) {
            interrupted();
        } catch (Deferred e) {
            turn.end(); // without a report: the turn continues later
        }
    }

    private void interrupted() {
        send(messages.interrupted());
        send(messages.aborted(1));
        sink.turnEnded(turn, null);
    }

    private void answer(DemoPrompt prompt, String instructions) throws Stopped, Deferred {
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
        finishCall(call);
    }

    private void runPeer(DemoPeer peer) throws Stopped, Deferred {
        stream(words(peer.opening()), BETWEEN_WORDS);
        if (peer.command() != null) {
            var call = DemoCall.of(DemoPrompt.running(peer.command()));
            announce(call);
            var outcome = asks ? ask(call) : call.run(setup, null);
            send(messages.toolResult(call.id(), outcome.result()));
        }
        stream(words(peer.closing()), BETWEEN_WORDS);
        send(messages.success(peer.closing(), 2));
    }

    /** Like Claude Code, sends the complete message before the end of its block. */
    private void announce(DemoCall call) throws Stopped {
        pause(Duration.ZERO);
        var id = DemoMessages.newMessageId();
        sendPartial(messages.messageStart(id));
        sendPartial(messages.toolStart(call.id()));
        sendPartial(messages.inputDelta(call.input().toString()));
        send(messages.toolUse(id, call.id(), call.input()));
        finish("tool_use");
    }

    private void finishCall(DemoCall call) throws Stopped, Deferred {
        var outcome = asks ? ask(call) : call.run(setup, null);
        send(messages.toolResult(call.id(), outcome.result()));
        stream(words(outcome.message()), BETWEEN_WORDS);
        send(messages.success(outcome.message(), 2));
    }

    private DemoCall.Outcome ask(DemoCall call) throws Stopped, Deferred {
        var newQuestion = new DemoQuestion(call);
        question = newQuestion;
        if (stopped.getCount() == 0) {
            newQuestion.stop();
        }
        sink.ask(turn, call.approval());
        return switch (newQuestion.await()) {
            case DemoQuestion.Decided(var decision) -> {
                question = null;
                call.delete(setup.directories().state());
                yield decision.allow()
                        ? call.run(setup, decision.input())
                        : call.denied(decision.message());
            }
            case DemoQuestion.End.STOPPED -> {
                call.delete(setup.directories().state());
                sink.withdrawQuestion(turn, call.id());
                throw new Stopped();
            }
            case DemoQuestion.End.DEFERRED -> throw new Deferred();
        };
    }

    String deferQuestion() throws EngineException {
        var openQuestion = question;
        if (openQuestion == null) {
            throw new EngineException("The turn is not waiting for an answer");
        }
        try {
            openQuestion.call().save(setup.directories().state());
        } catch (IOException e) {
            throw new EngineException("Cannot save the question: " + e);
        }
        if (!openQuestion.defer()) {
            openQuestion.call().delete(setup.directories().state());
            throw new EngineException("The question has been answered in the meantime");
        }
        return openQuestion.call().id();
    }

    void decide(Approve decision) {
        var openQuestion = question;
        if (openQuestion != null) {
            openQuestion.decide(decision);
        }
    }

    private void streamSlowly(int count) throws Stopped {
        var words = new ArrayList<String>();
        for (int i = 1; i <= count; i++) {
            words.add("word-" + i + " ");
        }
        stream(words, BETWEEN_SLOW_WORDS);
        send(messages.success("The demo said " + count + " words.", 1));
    }

    private void sendMessages(int count) throws Stopped {
        for (int i = 1; i <= count; i++) {
            pause(Duration.ZERO);
            send(messages.text(DemoMessages.newMessageId(), "message " + i + " of " + count));
        }
        send(messages.success(count + " messages", 1));
    }

    private void stream(List<String> words, Duration pause) throws Stopped {
        var id = DemoMessages.newMessageId();
        var text = new StringBuilder();
        sendPartial(messages.messageStart(id));
        sendPartial(messages.textStart());
        try {
            for (var word : words) {
                pause(partial() || pause.equals(BETWEEN_SLOW_WORDS) ? pause : Duration.ZERO);
                text.append(word);
                sendPartial(messages.textDelta(word));
            }
        } finally {
            if (!text.isEmpty()) {
                send(messages.text(id, text.toString()));
            }
        }
        finish("end_turn");
    }

    private void finish(String stopReason) {
        messages.streamEnd(stopReason).forEach(this::sendPartial);
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

    private void sendPartial(RawJson data) {
        if (partial()) {
            send(data);
        }
    }

    private void send(RawJson data) {
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
