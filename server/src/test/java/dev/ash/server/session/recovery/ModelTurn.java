package dev.ash.server.session.recovery;

import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** One turn of the model engine, on a thread of its own. Its fields are guarded by its bridge. */
final class ModelTurn implements Runnable {
    private final ModelBridge bridge;
    private final String id;
    private final ModelScript script;
    private final boolean asks;
    private final boolean goesOn;
    private int step;
    private boolean interrupted;
    private @Nullable String question;
    private @Nullable CompletableFuture<Answer> answer;

    /** What ends the wait for an answer: the answer, or none if the question is off. */
    private record Answer(BridgeCommand.@Nullable Approve approve) {}

    ModelTurn(ModelBridge bridge, String id, ModelScript script, boolean asks) {
        this.bridge = bridge;
        this.id = id;
        this.script = script;
        this.asks = asks;
        this.goesOn = false;
    }

    /** One that was laid aside. */
    ModelTurn(ModelBridge bridge, ModelHome.Aside aside, boolean asks) {
        this.bridge = bridge;
        this.id = aside.id();
        this.script = aside.script();
        this.step = aside.step();
        this.asks = asks;
        this.goesOn = true;
    }

    String id() {
        return id;
    }

    boolean isEngines() {
        return script == ModelScript.ENGINES;
    }

    @Override
    public void run() {
        if (!goesOn && !bridge.effect(() -> bridge.effects().prompt(script.label(), id))) {
            return;
        }
        for (; step < script.steps().length(); step++) {
            if (!play(script.steps().charAt(step))) {
                return;
            }
            if (isInterrupted()) {
                bridge.say(id, message("interrupted"));
                break;
            }
        }
        if (bridge.done(this) && script.steps().endsWith("b")) {
            bridge.engineTurn(java.util.UUID.randomUUID().toString());
        }
    }

    private boolean isInterrupted() {
        synchronized (bridge) {
            return interrupted;
        }
    }

    private boolean play(char what) {
        return switch (what) {
            case 'm' -> bridge.say(id, message("text"));
            case 'h' -> bridge.say(id, hint());
            case 'w' -> {
                LockSupport.parkNanos(400_000);
                yield true;
            }
            case 't' -> tool("{\"call\":\"" + call() + "\"}");
            case 's' -> tool("{\"call\":\"same\"}");
            case 'E' -> {
                bridge.say(id, new BridgeEvent.Failed("the engine died", true));
                step = script.steps().length();
                yield true;
            }
            default -> true;
        };
    }

    private String call() {
        return script.label() + "-" + step;
    }

    private boolean tool(String input) {
        var call = call();
        if (!asks) {
            return bridge.effect(() -> bridge.effects().tool(call, input, id))
                    && bridge.say(id, message("ran"));
        }
        var waiting = ask(call, input);
        if (waiting == null) {
            return true;
        }
        var approve = waiting.join().approve();
        if (approve == null) {
            return isInterrupted(); // laid aside or killed, else the turn ends in its order
        }
        if (!approve.allow()) {
            return bridge.say(id, message("denied"));
        }
        var used = approve.input() == null ? input : approve.input().toString();
        return bridge.effect(() -> bridge.effects().tool(call, used, id))
                && bridge.say(id, message("ran"));
    }

    private @Nullable CompletableFuture<Answer> ask(String call, String input) {
        synchronized (bridge) {
            if (interrupted) {
                return null;
            }
            var waiting = new CompletableFuture<Answer>();
            question = call;
            answer = waiting;
            bridge.say(
                    id,
                    new BridgeEvent.Approval(
                            call,
                            BridgeEvent.Approval.Kind.TOOL,
                            "Bash",
                            RawJson.of(input),
                            call,
                            null));
            if (!bridge.alive()) {
                abandon();
            }
            return waiting;
        }
    }

    void answered(BridgeCommand.Approve approve) {
        if (approve.id().equals(question)) {
            finish(new Answer(approve));
        }
    }

    private @Nullable String finish(Answer with) {
        var asked = question;
        var waiting = answer;
        question = null;
        answer = null;
        if (waiting != null) {
            waiting.complete(with);
        }
        return asked;
    }

    /** Returns the question that is off by it. */
    @Nullable String interrupt() {
        interrupted = true;
        return finish(new Answer(null));
    }

    /** Returns the one question that it waits for and now does not any more. */
    @Nullable String letGo() {
        return interrupted ? null : finish(new Answer(null));
    }

    void abandon() {
        finish(new Answer(null));
    }

    ModelHome.Aside asideAt() {
        return new ModelHome.Aside(id, script, step);
    }

    private BridgeEvent message(String text) {
        return new BridgeEvent.Message(
                JsonWriter.object()
                        .put("type", "assistant")
                        .put("uuid", call())
                        .put("text", text)
                        .end());
    }

    private BridgeEvent hint() {
        return new BridgeEvent.Message(
                JsonWriter.object().put("type", "stream_event").put("text", call()).end());
    }

    @Override
    public String toString() {
        return id + " at " + step + " of " + script + (question == null ? "" : ", which asks");
    }
}
