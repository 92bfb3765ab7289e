package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;
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
        send(new SseFrames().add(event, data));
    }

    @Override
    public void frame(String event, RawJson data, long id) throws IOException {
        send(new SseFrames().add(event, data, id));
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
