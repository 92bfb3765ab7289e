package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Event frames over HTTP; the lock keeps frames of different threads whole. */
final class JettySseStream implements SseStream {
    static final Map<String, String> HEADERS =
            Map.of(
                    "Content-Type", "text/event-stream",
                    "Cache-Control", "no-cache",
                    "X-Accel-Buffering", "no");

    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();

    JettySseStream(OutputStream out) {
        this.out = out;
    }

    @Override
    public void frame(String event, RawJson data) throws IOException {
        write(bytes(event, data, ""));
    }

    @Override
    public void frame(String event, RawJson data, long id) throws IOException {
        write(bytes(event, data, "id: " + id + "\n"));
    }

    @Override
    public void comment(String text) throws IOException {
        write((": " + oneLine(text) + "\n\n").getBytes(StandardCharsets.UTF_8));
    }

    /** The name of an event may be an engine's word: a line break in it would begin a new field. */
    private static byte[] bytes(String event, RawJson data, String tail) throws IOException {
        var line = data.onOneLine();
        var frame = new ByteArrayOutputStream(line.length() + event.length() + 48);
        frame.writeBytes(
                ("event: " + oneLine(event) + "\ndata: ").getBytes(StandardCharsets.UTF_8));
        line.writeTo(frame);
        frame.writeBytes(("\n" + tail + "\n").getBytes(StandardCharsets.US_ASCII));
        return frame.toByteArray();
    }

    private static String oneLine(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }

    private void write(byte[] bytes) throws IOException {
        lock.lock();
        try {
            out.write(bytes, 0, bytes.length);
        } finally {
            lock.unlock();
        }
    }
}
