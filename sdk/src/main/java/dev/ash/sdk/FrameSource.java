package dev.ash.sdk;

import org.jspecify.annotations.Nullable;

/** Source of the frames of an event stream. */
interface FrameSource extends AutoCloseable {
    /** Returns the next frame, or null at the end. */
    @Nullable SseFrame next();

    @Override
    void close();
}
