package dev.ash.cli.stream;

import dev.ash.sdk.SseFrame;

/** Shows the events of a turn, to a person or to a program. */
public interface EventSink {
    void show(SseFrame frame);

    /** A remark of the command itself, which only people see. */
    void note(String text);
}
