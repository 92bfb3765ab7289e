package dev.ash.e2e.model;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * Fake model API of both providers with test-defined token usage: a request selects its {@link
 * Reply} by {@code PLAN:id}. Each reply is sent when the test releases it.
 */
public final class MeteredModelApi implements AutoCloseable {
    private static final Pattern PLAN = Pattern.compile("PLAN:([a-z0-9-]+)");

    /** The form of a reply, including failures. */
    public enum Ending {
        WHOLE,
        OBJECT,
        BREAKS_WITHIN,
        BREAKS_BEFORE_HEAD,
        ERROR
    }

    /** One reply, with futures for the arrival of its request and for its release. */
    public record Reply(
            Ending ending,
            String model,
            long input,
            long output,
            int deltas,
            CompletableFuture<Void> arrived,
            CompletableFuture<Void> released) {
        /** Minimum number of output tokens that each delta counts. */
        public static final int DELTA_TOKENS = 10;

        public static Reply of(Ending ending, String model, long input, long output, int deltas) {
            return new Reply(
                    ending,
                    model,
                    input,
                    output,
                    deltas,
                    new CompletableFuture<>(),
                    new CompletableFuture<>());
        }

        /** Returns the number of charged output tokens. */
        public long charged() {
            return switch (ending) {
                case WHOLE, OBJECT, BREAKS_BEFORE_HEAD -> output;
                case BREAKS_WITHIN -> (long) deltas * DELTA_TOKENS;
                case ERROR -> 0;
            };
        }
    }

    private final ServerSocket listener;
    private final Map<String, Reply> replies = new ConcurrentHashMap<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    private MeteredModelApi(ServerSocket listener) {
        this.listener = listener;
    }

    public static MeteredModelApi start() throws IOException {
        var api = new MeteredModelApi(new ServerSocket(0, 512, InetAddress.getLoopbackAddress()));
        Thread.ofVirtual().name("metered-model").start(api::accept);
        return api;
    }

    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    public void plan(String id, Reply reply) {
        replies.put(id, reply);
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                connections.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void serve(Socket socket) {
        try (var connection = new HttpConnection(socket, 0)) {
            var head = connection.readHead();
            if (head == null) {
                return;
            }
            var body = new String(connection.readBody(head), ISO_8859_1);
            var named = PLAN.matcher(body);
            var reply = named.find() ? replies.get(named.group(1)) : null;
            if (reply == null) {
                connection.answer(404, "application/json", "{}", Map.of());
                return;
            }
            reply.arrived().complete(null);
            reply.released().get(1, TimeUnit.MINUTES);
            answer(connection, head.path().contains("responses"), reply);
        } catch (IOException e) {
            // The proxy closed the connection, for example because its server was killed.
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new IllegalStateException(e);
        } finally {
            connections.remove(socket);
        }
    }

    private static void answer(HttpConnection connection, boolean responses, Reply reply)
            throws IOException {
        var usage =
                "{\"input_tokens\":%d,\"output_tokens\":%d}"
                        .formatted(reply.input(), reply.output());
        switch (reply.ending()) {
            case WHOLE -> stream(connection, responses, reply, usage);
            case BREAKS_WITHIN -> begin(connection, responses, reply);
            case OBJECT ->
                    connection.answer(
                            200,
                            "application/json",
                            "{\"model\":\"%s\",\"usage\":%s}".formatted(reply.model(), usage),
                            Map.of());
            case ERROR -> connection.answer(529, "application/json", "{}", Map.of());
            case BREAKS_BEFORE_HEAD -> {}
        }
    }

    private static void begin(HttpConnection connection, boolean responses, Reply reply)
            throws IOException {
        connection.beginStream();
        connection.stream(
                (responses
                                ? "data: {\"type\":\"response.created\",\"response\":{\"model\":\"%s\",\"usage\":null}}\n\n"
                                : "data: {\"type\":\"message_start\",\"message\":{\"model\":\"%s\",\"usage\":{\"input_tokens\":%d,\"output_tokens\":0}}}\n\n")
                        .formatted(reply.model(), reply.input()));
        var text = "t".repeat(4 * Reply.DELTA_TOKENS);
        for (int i = 0; i < reply.deltas(); i++) {
            connection.stream(
                    (responses
                                    ? "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"item_0123456789abcdef\",\"sequence_number\":1,\"delta\":\"%s\"}\n\n"
                                    : "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n")
                            .formatted(text));
        }
    }

    private static void stream(
            HttpConnection connection, boolean responses, Reply reply, String usage)
            throws IOException {
        begin(connection, responses, reply);
        if (responses) {
            connection.stream(
                    "data: {\"type\":\"response.completed\",\"response\":{\"model\":\"%s\",\"usage\":%s}}\n\n"
                            .formatted(reply.model(), usage));
        } else {
            connection.stream(
                    "data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":%d}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
                            .formatted(reply.output()));
        }
        connection.endStream();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (var socket : connections) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
