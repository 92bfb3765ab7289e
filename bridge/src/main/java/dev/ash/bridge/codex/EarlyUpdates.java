package dev.ash.bridge.codex;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds updates back until their turn is announced: the first message of a turn says what it is,
 * though the CLI may warn before. Used by the thread that reads from the CLI alone.
 */
final class EarlyUpdates {
    private static final int MAX = 100;

    private final List<RawJson> early = new ArrayList<>();
    private final Consumer<RawJson> sink;

    EarlyUpdates(Consumer<RawJson> sink) {
        this.sink = sink;
    }

    /** Drops what is more than can be held back. */
    void add(@Nullable CodexTurn running, RawJson update) {
        if (running != null && running.announced()) {
            sink.accept(update);
        } else if (early.size() < MAX) {
            early.add(update);
        }
    }

    void announced() {
        early.forEach(sink);
        early.clear();
    }
}
