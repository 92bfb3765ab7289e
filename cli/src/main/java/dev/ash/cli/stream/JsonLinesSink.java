package dev.ash.cli.stream;

import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.sdk.SseFrame;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Prints each event as one line of JSON; the data is unchanged. */
public record JsonLinesSink(Host host) implements EventSink {
    @Override
    public void show(SseFrame frame) {
        var line = JsonWriter.object().put("event", frame.event()).put("data", data(frame));
        if (frame.number() > 0) {
            line.put("id", frame.number());
        }
        try {
            line.end().writeTo(host.out());
            host.out().println();
            host.out().flush();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot write to standard output", e);
        }
    }

    @Override
    public void note(String text) {}

    /** Converts data that is not a JSON object to a string, to keep each line valid. */
    private static RawJson data(SseFrame frame) {
        try {
            JsonObject.parse(frame.data());
            return frame.data().onOneLine();
        } catch (MalformedJsonException e) {
            return RawJson.string(frame.data().toString());
        }
    }
}
