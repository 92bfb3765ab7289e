package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
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

    private static final int SMALL = 16 * 1024;

    private final OutputStream out;
    private final ReentrantLock lock = new ReentrantLock();

    JettySseStream(OutputStream out) {
        this.out = out;
    }

    @Override
    public void frame(String event, RawJson data) throws IOException {
        write(event, data, "\n\n");
    }

    @Override
    public void frame(String event, RawJson data, long id) throws IOException {
        write(event, data, "\nid: " + id + "\n\n");
    }

    /** Without a copy of the data, which may be large. */
    private void write(String event, RawJson data, String end) throws IOException {
        if (data.length() <= SMALL) {
            send(new SseFrames().raw(event, data, end));
            return;
        }
        lock.lock();
        try {
            out.write(SseFrames.begin(event));
            data.onOneLine().writeTo(out);
            out.write(end.getBytes(StandardCharsets.UTF_8));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void comment(String text) throws IOException {
        send(new SseFrames().comment(text));
    }

    @Override
    public void send(SseFrames frames) throws IOException {
        if (frames.bytes() == 0) {
            return;
        }
        lock.lock();
        try {
            frames.moveTo(out);
        } finally {
            lock.unlock();
        }
    }
}
