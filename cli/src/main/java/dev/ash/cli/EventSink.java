package dev.ash.cli;

import dev.ash.sdk.SseFrame;

/** Shows the events of a turn, to a person or to a program. */
interface EventSink {
    void show(SseFrame frame);

    /** A remark of the command itself, which only people see. */
    void note(String text);

    static EventSink of(Host host, boolean json) {
        return json ? new JsonLinesSink(host) : new TurnPrinter(host);
    }
}
