package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Frames that go out in one write: many small ones would each cost a call of the system and a
 * packet. Who fills it sees to it that it stays small. For one thread.
 */
public final class SseFrames {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(512);

    public SseFrames add(String event, RawJson data) {
        return raw(event, data, "\n\n");
    }

    public SseFrames add(String event, RawJson data, long id) {
        return raw(event, data, "\nid: " + id + "\n\n");
    }

    SseFrames raw(String event, RawJson data, String end) {
        field(event, data);
        text(end);
        return this;
    }

    /** A frame up to its data. */
    static byte[] begin(String event) {
        return ("event: " + oneLine(event) + "\ndata: ").getBytes(StandardCharsets.UTF_8);
    }

    SseFrames comment(String text) {
        text(": ");
        text(oneLine(text));
        text("\n\n");
        return this;
    }

    public int bytes() {
        return out.size();
    }

    /** Hands over what was added, and begins anew. */
    void moveTo(OutputStream target) throws IOException {
        var whole = take();
        target.write(whole, 0, whole.length);
    }

    byte[] take() {
        var whole = out.toByteArray();
        out.reset();
        return whole;
    }

    /** The name of an event may be an engine's word: a line break in it would begin a new field. */
    private void field(String event, RawJson data) {
        out.writeBytes(begin(event));
        try {
            data.onOneLine().writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
    }

    private void text(String text) {
        out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String oneLine(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }
}
