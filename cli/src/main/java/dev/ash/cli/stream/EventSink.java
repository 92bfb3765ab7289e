package dev.ash.cli.stream;

import dev.ash.sdk.SseFrame;

/** Prints the events of a stream, as text or JSON. */
public interface EventSink {
    void show(SseFrame frame);

    /** Prints a remark of the command, in text output only. */
    void note(String text);
}
