package dev.ash.bridge.codex;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers updates until their turn is announced: the first message of a turn must be {@code init},
 * but the CLI may send warnings before. Used only by the thread that reads from the CLI.
 */
final class EarlyUpdates {
    private static final int MAX_HELD = 100;

    private final List<RawJson> held = new ArrayList<>();
    private final Consumer<RawJson> sink;

    EarlyUpdates(Consumer<RawJson> sink) {
        this.sink = sink;
    }

    /** Sends the update, or buffers it; drops it if the buffer is full. */
    void add(@Nullable CodexTurn running, RawJson update) {
        if (running != null && running.announced()) {
            sink.accept(update);
        } else if (held.size() < MAX_HELD) {
            held.add(update);
        }
    }

    void release() {
        held.forEach(sink);
        held.clear();
    }
}
