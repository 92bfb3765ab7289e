package dev.ash.bridge.demo;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.SystemPrompt;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.json.MalformedJsonException;
import org.jspecify.annotations.Nullable;

/** A conversation with the demo, which remembers nothing and runs in the caller's thread. */
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
        setup.conversation().opened(setup.sessionId(), DemoEngine.NAME, setup.sessionId());
    }

    @Override
    public void prompt(Turn turn) throws EngineException {
        start();
        var prompt = read(turn);
        var instructions = SystemPrompt.of(setup).map(SystemPrompt::text).orElse("");
        var demo = new DemoTurn(setup, sink, turn);
        running = demo;
        if (turn.interrupted()) {
            demo.stop();
        }
        try {
            var firstLine = instructions.strip().lines().findFirst().orElse("");
            demo.run(prompt, new DemoPrompt(firstLine).quoted());
        } finally {
            running = null;
        }
        sink.turnEnded(turn, null);
    }

    @Override
    public void interrupt(Turn turn) {
        var current = running;
        if (current != null && current.turn() == turn) {
            current.stop();
        }
    }

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
