package dev.ash.server.session.recovery;

import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A turn of the fake engine, on its own thread. Its fields are guarded by its bridge. */
final class FakeTurn implements Runnable {
    private final FakeBridge bridge;
    private final String id;
    private final TurnScript script;
    private final boolean asks;
    private final boolean isContinued;
    private int step;
    private boolean interrupted;
    private @Nullable String question;
    private @Nullable CompletableFuture<Answer> answer;

    /** The answer to a question; null if the question was withdrawn. */
    private record Answer(BridgeCommand.@Nullable Approve approve) {}

    FakeTurn(FakeBridge bridge, String id, TurnScript script, boolean asks) {
        this.bridge = bridge;
        this.id = id;
        this.script = script;
        this.asks = asks;
        this.isContinued = false;
    }

    /** Continues a deferred turn. */
    FakeTurn(FakeBridge bridge, FakeHome.DeferredTurn deferred, boolean asks) {
        this.bridge = bridge;
        this.id = deferred.id();
        this.script = deferred.script();
        this.step = deferred.step();
        this.asks = asks;
        this.isContinued = true;
    }

    String id() {
        return id;
    }

    boolean isEngineTurn() {
        return script == TurnScript.ENGINE_TURN;
    }

    @Override
    public void run() {
        if (!isContinued
                && !bridge.tryEffect(() -> bridge.effects().addPrompt(script.label(), id))) {
            return;
        }
        for (; step < script.steps().length(); step++) {
            if (!perform(script.steps().charAt(step))) {
                return;
            }
            if (isInterrupted()) {
                bridge.emit(id, message("interrupted"));
                break;
            }
        }
        if (bridge.endTurn(this) && script.steps().endsWith("b")) {
            bridge.startEngineTurn(java.util.UUID.randomUUID().toString());
        }
    }

    private boolean isInterrupted() {
        synchronized (bridge) {
            return interrupted;
        }
    }

    private boolean perform(char letter) {
        return switch (letter) {
            case 'm' -> bridge.emit(id, message("text"));
            case 'h' -> bridge.emit(id, partialMessage());
            case 'w' -> {
                LockSupport.parkNanos(400_000);
                yield true;
            }
            case 't' -> callTool("{\"call\":\"" + callId() + "\"}");
            case 's' -> callTool("{\"call\":\"same\"}");
            case 'E' -> {
                bridge.emit(id, new BridgeEvent.Failed("the engine died", true));
                step = script.steps().length();
                yield true;
            }
            default -> true;
        };
    }

    private String callId() {
        return script.label() + "-" + step;
    }

    private boolean callTool(String input) {
        var call = callId();
        if (!asks) {
            return bridge.tryEffect(() -> bridge.effects().addTool(call, input, id))
                    && bridge.emit(id, message("ran"));
        }
        var waiting = ask(call, input);
        if (waiting == null) {
            return true;
        }
        var approve = waiting.join().approve();
        if (approve == null) {
            return isInterrupted(); // if not interrupted: deferred or killed, so stop without done
        }
        if (!approve.allow()) {
            return bridge.emit(id, message("denied"));
        }
        var used = approve.input() == null ? input : approve.input().toString();
        return bridge.tryEffect(() -> bridge.effects().addTool(call, used, id))
                && bridge.emit(id, message("ran"));
    }

    private @Nullable CompletableFuture<Answer> ask(String call, String input) {
        synchronized (bridge) {
            if (interrupted) {
                return null;
            }
            var waiting = new CompletableFuture<Answer>();
            question = call;
            answer = waiting;
            bridge.emit(
                    id,
                    new BridgeEvent.Approval(
                            call,
                            BridgeEvent.Approval.Kind.TOOL,
                            "Bash",
                            RawJson.of(input),
                            call,
                            null));
            if (!bridge.alive()) {
                stopWaiting();
            }
            return waiting;
        }
    }

    void onAnswer(BridgeCommand.Approve approve) {
        if (approve.id().equals(question)) {
            completeAnswer(new Answer(approve));
        }
    }

    private @Nullable String completeAnswer(Answer with) {
        var asked = question;
        var waiting = answer;
        question = null;
        answer = null;
        if (waiting != null) {
            waiting.complete(with);
        }
        return asked;
    }

    /** Interrupts the turn; returns the question that it withdraws. */
    @Nullable String interrupt() {
        interrupted = true;
        return completeAnswer(new Answer(null));
    }

    /** Stops waiting for the pending question and returns it. */
    @Nullable String withdrawQuestion() {
        return interrupted ? null : completeAnswer(new Answer(null));
    }

    void stopWaiting() {
        completeAnswer(new Answer(null));
    }

    FakeHome.DeferredTurn toDeferred() {
        return new FakeHome.DeferredTurn(id, script, step);
    }

    private BridgeEvent message(String text) {
        return new BridgeEvent.Message(
                JsonWriter.object()
                        .put("type", "assistant")
                        .put("uuid", callId())
                        .put("text", text)
                        .end());
    }

    private BridgeEvent partialMessage() {
        return new BridgeEvent.Message(
                JsonWriter.object().put("type", "stream_event").put("text", callId()).end());
    }

    @Override
    public String toString() {
        return id + " at " + step + " of " + script + (question == null ? "" : ", which asks");
    }
}
