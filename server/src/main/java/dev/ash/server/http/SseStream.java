package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * An open event stream. Frames that are added together share one write: each write costs a system
 * call and a packet. Writes block until the client has accepted the bytes; they fail once the
 * client has disconnected or reads nothing for the stalled-reader time. Thread-safe; frames are
 * never interleaved.
 */
public final class SseStream {
    static final Map<String, String> HEADERS =
            Map.of(
                    "Content-Type", "text/event-stream",
                    "Cache-Control", "no-cache",
                    "X-Accel-Buffering", "no");

    /** Limits the buffer. Data of this size or more is written without a copy. */
    private static final int BUFFER_BYTES = 64 * 1024;

    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();
    private final ByteArrayOutputStream buffer = new ByteArrayOutputStream(512);

    SseStream(OutputStream out) {
        this.out = out;
    }

    /** Sends a frame, after those that were added before. */
    public void frame(String event, RawJson data) throws IOException {
        write(event, data, "\n\n", true);
    }

    /** Sends a frame, after those that were added before. */
    public void frame(String event, RawJson data, long id) throws IOException {
        write(event, data, "\nid: " + id + "\n\n", true);
    }

    /** Adds a frame that the next {@link #flush} sends at the latest. */
    public void add(String event, RawJson data) throws IOException {
        write(event, data, "\n\n", false);
    }

    /** Adds a frame that the next {@link #flush} sends at the latest. */
    public void add(String event, RawJson data, long id) throws IOException {
        write(event, data, "\nid: " + id + "\n\n", false);
    }

    /** Sends a line that clients ignore: it keeps proxies open and detects disconnected clients. */
    public void comment(String text) throws IOException {
        lock.lock();
        try {
            buffer.writeBytes(bytes(": " + oneLine(text) + "\n\n"));
            flush();
        } finally {
            lock.unlock();
        }
    }

    /** Sends the frames that were added. */
    public void flush() throws IOException {
        lock.lock();
        try {
            if (buffer.size() > 0) {
                buffer.writeTo(out);
            }
        } finally {
            buffer.reset();
            lock.unlock();
        }
    }

    private void write(String event, RawJson data, String end, boolean flush) throws IOException {
        lock.lock();
        try {
            if (data.length() < BUFFER_BYTES) {
                encode(event, data, end, buffer);
                if (flush || buffer.size() >= BUFFER_BYTES) {
                    flush();
                }
            } else {
                flush();
                encode(event, data, end, out);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The bytes of one frame, for a stream that ends with it. */
    static byte[] encode(String event, RawJson data) throws IOException {
        var frame = new ByteArrayOutputStream();
        encode(event, data, "\n\n", frame);
        return frame.toByteArray();
    }

    private static void encode(String event, RawJson data, String end, OutputStream out)
            throws IOException {
        out.write(bytes("event: " + oneLine(event) + "\ndata: "));
        data.onOneLine().writeTo(out);
        out.write(bytes(end));
    }

    /** Engines choose some event names: a line break would start a new field. */
    private static String oneLine(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
