package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which conversation of which engine this home holds, kept in a file so that the next bridge on the
 * same home goes on with it. A home has one conversation; one that names another session is a copy.
 * Guarded by its own monitor.
 */
public final class Conversation {
    private final Path file;
    private State state;

    private record State(
            @Nullable String sessionId,
            @Nullable String engine,
            @Nullable String engineSessionId,
            boolean answered) {
        static final State NONE = new State(null, null, null, false);
    }

    private Conversation(Path file, State state) {
        this.file = file;
        this.state = state;
    }

    public static Conversation load(Path folder) {
        var file = folder.resolve("conversation.json");
        try {
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
            return new Conversation(
                    file,
                    new State(
                            json.string("sessionId").orElse(null),
                            json.string("engine").orElse(null),
                            json.string("engineSessionId").orElse(null),
                            json.isTrue("answered")));
        } catch (IOException e) {
            return new Conversation(file, State.NONE); // none yet, or not readable any more
        }
    }

    /** The engine's own id of the conversation to continue. */
    public synchronized Optional<String> of(String engine) {
        return engine.equals(state.engine)
                ? Optional.ofNullable(state.engineSessionId)
                : Optional.empty();
    }

    /** Whether this engine finished a turn in it, so that there is something to lose. */
    public synchronized boolean answered(String engine) {
        return state.answered && engine.equals(state.engine);
    }

    /** Whether it was begun under another session, whose home was copied for this one. */
    public synchronized boolean copiedFor(String sessionId) {
        return state.sessionId != null && !state.sessionId.equals(sessionId);
    }

    public synchronized void opened(String sessionId, String engine, String engineSessionId) {
        boolean same = of(engine).equals(Optional.of(engineSessionId));
        keep(new State(sessionId, engine, engineSessionId, same && state.answered));
    }

    public synchronized void answeredOnce() {
        keep(new State(state.sessionId, state.engine, state.engineSessionId, true));
    }

    /** The engine does not have it any more: the next prompt begins a new one. */
    public synchronized void forget() {
        keep(State.NONE);
    }

    private void keep(State next) {
        if (next.equals(state)) {
            return;
        }
        state = next;
        var json = JsonWriter.object().put("sessionId", next.sessionId);
        json.put("engine", next.engine).put("engineSessionId", next.engineSessionId);
        if (next.answered) {
            json.put("answered", true);
        }
        try {
            Files.createDirectories(file.getParent());
            var fresh = file.resolveSibling("conversation.json.new");
            Files.write(fresh, json.end().toBytes());
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            // The turn goes on; only a later bridge would not find the conversation.
            System.err.println("bridge: cannot write " + file + ": " + e);
        }
    }
}
