package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The engine conversation in this home, stored in a file so that the next bridge with the same home
 * continues it. A home has one conversation; if it belongs to another session, the home is a copy.
 * Thread-safe.
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

        /** Faster than {@code equals} of a record, which generates code at its first call. */
        boolean isSame(State other) {
            return answered == other.answered
                    && Objects.equals(sessionId, other.sessionId)
                    && Objects.equals(engine, other.engine)
                    && Objects.equals(engineSessionId, other.engineSessionId);
        }
    }

    private Conversation(Path file, State state) {
        this.file = file;
        this.state = state;
    }

    public static Conversation load(Path directory) {
        var file = directory.resolve("conversation.json");
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
            return new Conversation(file, State.NONE); // none yet, or unreadable
        }
    }

    /** Returns the engine's own id of the conversation to continue. */
    public synchronized Optional<String> idFor(String engine) {
        return engine.equals(state.engine)
                ? Optional.ofNullable(state.engineSessionId)
                : Optional.empty();
    }

    /** Returns whether this engine has completed a turn in the conversation. */
    public synchronized boolean hasCompletedTurn(String engine) {
        return state.answered && engine.equals(state.engine);
    }

    /** Returns whether the home is a copy of the home of another session. */
    public synchronized boolean isCopyFor(String sessionId) {
        return state.sessionId != null && !state.sessionId.equals(sessionId);
    }

    public synchronized void recordOpened(String sessionId, String engine, String engineSessionId) {
        boolean same = idFor(engine).equals(Optional.of(engineSessionId));
        save(new State(sessionId, engine, engineSessionId, same && state.answered));
    }

    public synchronized void recordCompletedTurn() {
        save(new State(state.sessionId, state.engine, state.engineSessionId, true));
    }

    /** Called when the engine no longer has the conversation; the next prompt begins a new one. */
    public synchronized void clear() {
        save(State.NONE);
    }

    private void save(State next) {
        if (next.isSame(state)) {
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
            var temporary = file.resolveSibling("conversation.json.new");
            Files.write(temporary, json.end().toBytes());
            Files.move(
                    temporary,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            // Continue the turn: only a later bridge would not find the conversation.
            System.err.println("bridge: cannot write " + file + ": " + e);
        }
    }
}
