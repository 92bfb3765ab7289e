package dev.ash.bench.paths;

import dev.ash.bench.server.BenchDevice;
import dev.ash.bench.server.BenchServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A paired and connected device. */
final class PathDevice implements AutoCloseable {
    private static final int TIMEOUT_SECONDS = 60;

    private final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
    private final HttpClient client;
    private final WebSocket socket;
    private int sent;

    PathDevice(BenchServer server) throws IOException, InterruptedException {
        client = BenchDevice.client(server);
        var pairing = server.post("/api/devices", "{\"name\":\"paths\"}");
        var url = URI.create(PathServer.field("url", pairing));
        socket = client.newWebSocketBuilder().buildAsync(url, new Listener()).join();
        var token = PathServer.field("token", pairing);
        send("auth", "\"token\":\"" + token + "\",\"client_version\":\"1.0.0\"");
        await("connection_ack");
    }

    void send(String type, String payload) {
        var id = type + ++sent;
        var text = "{\"type\":\"%s\",\"id\":\"%s\",\"payload\":{%s}}".formatted(type, id, payload);
        socket.sendText(text, true).join();
    }

    /** Waits for a frame of this type and drops those before it. */
    String await(String type) throws IOException, InterruptedException {
        while (true) {
            var frame = frames.poll(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (frame == null) {
                throw new IOException("no " + type + " received");
            }
            if (frame.startsWith("{\"type\":\"" + type + "\"")) {
                return frame;
            }
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public @Nullable CompletionStage<?> onText(
                WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                frames.add(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return null;
        }
    }

    @Override
    public void close() {
        socket.abort();
        client.shutdownNow();
    }
}
