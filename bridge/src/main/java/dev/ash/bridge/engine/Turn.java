package dev.ash.bridge.engine;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.RawJson;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One prompt on its way, whether somebody wants it stopped, and whether it is over. */
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

    /** A turn that the engine begins by itself. */
    public static Turn own() {
        return new Turn(TurnId.random().value(), RawJson.NULL, TurnOptions.NONE);
    }

    /** Null where the server gave none. */
    public @Nullable String id() {
        return id;
    }

    public RawJson prompt() {
        return prompt;
    }

    public TurnOptions options() {
        return options;
    }

    /** Remembered, because the wish may come before the engine has even seen the prompt. */
    public void interrupt() {
        interrupted = true;
    }

    public boolean interrupted() {
        return interrupted;
    }

    public boolean ended() {
        return ended.get();
    }

    /** True for the one call that ends it. */
    public boolean end() {
        return ended.compareAndSet(false, true);
    }
}
