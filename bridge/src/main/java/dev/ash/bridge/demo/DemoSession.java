package dev.ash.bridge.demo;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.SystemPrompt;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A conversation with the demo, which has no memory and runs in the caller's thread. */
final class DemoSession implements EngineSession {
    private final EngineSetup setup;
    private final EngineSink sink;
    private volatile @Nullable DemoTurn running;

    DemoSession(EngineSetup setup, EngineSink sink) {
        this.setup = setup;
        this.sink = sink;
    }

    @Override
    public void start() {
        setup.conversation().recordOpened(setup.sessionId(), DemoEngine.NAME, setup.sessionId());
    }

    @Override
    public void prompt(Turn turn) throws EngineException {
        start();
        var prompt = read(turn);
        var instructions = prompt.isScript() ? "" : instructions();
        run(turn, demo -> demo.run(prompt, instructions));
    }

    /** Returns the beginning of the system prompt. */
    private String instructions() throws EngineException {
        var instructions = SystemPrompt.of(setup).map(SystemPrompt::text).orElse("");
        var firstLine = instructions.strip().lines().findFirst().orElse("");
        return new DemoPrompt(firstLine).quoted();
    }

    @Override
    public void continueTurn(Turn turn) throws EngineException {
        start();
        var call =
                DemoCall.load(setup.directories().state())
                        .orElseThrow(
                                () ->
                                        new EngineException(
                                                "There is no deferred question in this sandbox"));
        run(turn, demo -> demo.continueFrom(call));
    }

    private void run(Turn turn, Consumer<DemoTurn> work) {
        var demo = new DemoTurn(setup, sink, turn);
        running = demo;
        if (turn.isInterrupted()) {
            demo.stop();
        }
        try {
            work.accept(demo);
        } finally {
            running = null;
        }
    }

    @Override
    public void interrupt(Turn turn) {
        var current = running;
        if (current != null && current.turn() == turn) {
            current.stop();
        }
    }

    @Override
    public void answer(Approve decision) {
        var current = running;
        if (current != null) {
            current.decide(decision);
        }
    }

    @Override
    public String deferQuestion(Turn turn) throws EngineException {
        var current = running;
        if (current == null || current.turn() != turn) {
            throw new EngineException("The turn is not waiting for an answer");
        }
        return current.deferQuestion();
    }

    /** Does nothing: the demo has no process. */
    @Override
    public void rest() {}

    @Override
    public void close() {
        var current = running;
        if (current != null) {
            current.stop();
        }
    }

    private static DemoPrompt read(Turn turn) throws EngineException {
        try {
            return DemoPrompt.of(turn.prompt());
        } catch (MalformedJsonException e) {
            throw new EngineException(
                    "prompt: expected a string or an array of content blocks, " + e.getMessage());
        }
    }
}
