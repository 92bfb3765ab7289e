package dev.ash.bridge.engine;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.RawJson;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One turn: its prompt and options, and whether it was interrupted or has ended. Thread-safe. */
public final class Turn {
    private final @Nullable String id;
    private final RawJson prompt;
    private final TurnOptions options;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean interrupted;

    /** {@code prompt} is a JSON string or an array of content blocks. */
    public Turn(@Nullable String id, RawJson prompt, TurnOptions options) {
        this.id = id;
        this.prompt = prompt;
        this.options = options;
    }

    /** Returns a turn that the engine started without a prompt. */
    public static Turn startedByEngine() {
        return new Turn(TurnId.random().value(), RawJson.NULL, TurnOptions.NONE);
    }

    /** Returns the id of the turn; null if the server did not set one. */
    public @Nullable String id() {
        return id;
    }

    public RawJson prompt() {
        return prompt;
    }

    public TurnOptions options() {
        return options;
    }

    /** Records the interrupt, because it may arrive before the engine has received the prompt. */
    public void interrupt() {
        interrupted = true;
    }

    public boolean isInterrupted() {
        return interrupted;
    }

    public boolean isEnded() {
        return ended.get();
    }

    /** Ends the turn; returns true for the first call. */
    public boolean end() {
        return ended.compareAndSet(false, true);
    }
}
