package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** A client of the bridge socket that does not use the codec under test. */
final class RawClient implements AutoCloseable {
    private static final Event END = new Event("");

    private final SocketChannel channel;
    private final LinkedBlockingQueue<Event> events = new LinkedBlockingQueue<>();

    /** A line from the bridge. */
    record Event(String line) {
        JsonObject json() {
            try {
                return JsonObject.parse(line);
            } catch (IOException e) {
                throw new AssertionError(line, e);
            }
        }

        String text(String name) {
            try {
                return json().string(name).orElse("");
            } catch (IOException e) {
                throw new AssertionError(line, e);
            }
        }

        String kind() {
            return text("ev");
        }

        long n() {
            return Long.parseLong(json().raw("n").map(RawJson::toString).orElse("0"));
        }

        /** Returns the engine's message as text. */
        String data() {
            return json().raw("data").map(RawJson::toString).orElse("");
        }

        Event message() {
            return at("data");
        }

        Event at(String name) {
            return new Event(json().raw(name).map(RawJson::toString).orElse("{}"));
        }

        List<Event> elements(String name) {
            try {
                var array = json().raw(name).orElse(RawJson.of("[]"));
                return JsonObject.elements(array).stream()
                        .map(element -> new Event(element.toString()))
                        .toList();
            } catch (IOException e) {
                throw new AssertionError(line, e);
            }
        }
    }

    private RawClient(SocketChannel channel) {
        this.channel = channel;
        Thread.ofPlatform().daemon().start(this::read);
    }

    static RawClient connect(Path socket) throws IOException {
        return new RawClient(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    private void read() {
        var line = new ByteArrayOutputStream();
        var buffer = ByteBuffer.allocate(64 * 1024);
        try {
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    byte next = buffer.get();
                    if (next == '\n') {
                        events.add(new Event(line.toString(StandardCharsets.UTF_8)));
                        line.reset();
                    } else {
                        line.write(next);
                    }
                }
                buffer.clear();
            }
        } catch (IOException e) {
            // closed
        }
        events.add(END);
    }

    RawClient send(String line) throws IOException {
        var bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return this;
    }

    RawClient query(String prompt) throws IOException {
        return query(prompt, "");
    }

    /** {@code more} is appended to the command, such as {@code ,"turnId":"…"}. */
    RawClient query(String prompt, String more) throws IOException {
        return send(
                "{\"cmd\":\"query\",\"sessionId\":\""
                        + TestBridge.SESSION
                        + "\",\"prompt\":"
                        + RawJson.string(prompt)
                        + more
                        + "}");
    }

    Event next() {
        try {
            var event = events.poll(30, TimeUnit.SECONDS);
            assertThat(event).as("an event within 30 s").isNotNull();
            return event;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    Event nextOf(String kind) {
        return until(event -> event.kind().equals(kind)).getLast();
    }

    /** Returns all events up to the first match, inclusive. */
    List<Event> until(Predicate<Event> last) {
        var seen = new ArrayList<Event>();
        while (true) {
            var event = next();
            assertThat(event).as("connection closed after %s", seen).isNotSameAs(END);
            seen.add(event);
            if (last.test(event)) {
                return seen;
            }
        }
    }

    List<Event> untilDone() {
        return until(event -> event.kind().equals("done"));
    }

    /** Waits until the bridge closes the connection; ignores events before. */
    void awaitEnd() {
        while (next() != END) {
            // ignore
        }
    }

    /** Returns whether all received events were read. */
    boolean hasNoUnreadEvents() {
        return events.isEmpty();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
