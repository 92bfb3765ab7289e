package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** Where an event stream has its frames from. */
interface Frames extends AutoCloseable {
    /** The next one; null at the end. */
    @Nullable SseFrame next();

    @Override
    void close();
}
