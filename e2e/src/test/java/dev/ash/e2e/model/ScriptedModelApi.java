package dev.ash.e2e.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Scripted APIs of Anthropic, OpenAI and Google: the model performs the steps in its prompt, see
 * {@link Step}. Serves each connection on a virtual thread; {@code this} guards the request list
 * and is notified of each request.
 */
public final class ScriptedModelApi implements AutoCloseable {
    private final JsonMapper mapper = new JsonMapper();
    private final ServerSocket listener;
    private final int pieceBytes;
    private final List<ModelRequest> requests = new ArrayList<>();
    private final Map<String, Integer> refusals = new HashMap<>();
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Semaphore held = new Semaphore(0);
    private final AtomicInteger ids = new AtomicInteger();

    private ScriptedModelApi(ServerSocket listener, int pieceBytes) {
        this.listener = listener;
        this.pieceBytes = pieceBytes;
    }

    public static ScriptedModelApi start() {
        return start(0);
    }

    /** Writes streams in pieces of {@code pieceBytes} bytes; 0 writes one event at a time. */
    public static ScriptedModelApi start(int pieceBytes) {
        try {
            var listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
            var api = new ScriptedModelApi(listener, pieceBytes);
            Thread.ofVirtual().name("scripted-model").start(api::accept);
            return api;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public String url() {
        return "http://127.0.0.1:" + listener.getLocalPort();
    }

    private record Rule(String part, UnaryOperator<String> script) {}

    /**
     * Adds a rule for prompts that the test does not write itself: {@code script} maps a prompt
     * that contains {@code part} to its steps. The first matching rule applies.
     */
    public ScriptedModelApi when(String part, UnaryOperator<String> script) {
        rules.add(new Rule(part, script));
        return this;
    }

    /** Removes all rules. */
    public ScriptedModelApi clearRules() {
        rules.clear();
        return this;
    }

    private String script(String prompt) {
        return rules.stream()
                .filter(rule -> prompt.contains(rule.part()))
                .findFirst()
                .map(rule -> rule.script().apply(prompt))
                .orElse(prompt);
    }

    /** Resumes one answer that waits at {@code HOLD}. */
    public void release() {
        held.release();
    }

    public synchronized List<ModelRequest> requests() {
        return List.copyOf(requests);
    }

    /** Returns the requests that belong to conversations. */
    public List<ModelRequest> turns() {
        return requests().stream().filter(ModelRequest::isTurn).toList();
    }

    /** Waits for a matching request, past or future. */
    public synchronized ModelRequest await(Predicate<ModelRequest> wanted) {
        var deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (true) {
            for (var request : requests) {
                if (wanted.test(request)) {
                    return request;
                }
            }
            var left = Duration.ofNanos(deadline - System.nanoTime()).toMillis();
            if (left <= 0) {
                throw new AssertionError(
                        "timed out waiting for a request; received " + requests.size());
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** Waits for the turn whose prompt contains this text. */
    public ModelRequest awaitTurn(String promptPart) {
        return await(
                request ->
                        request.isTurn()
                                && Conversation.of(request, mapper).prompt().contains(promptPart));
    }

    private void accept() {
        try {
            while (true) {
                var socket = listener.accept();
                connections.add(socket);
                Thread.ofVirtual().name("scripted-model-connection").start(() -> serve(socket));
            }
        } catch (SocketException e) {
            // closed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serve(Socket socket) {
        try (var connection = new HttpConnection(socket, pieceBytes)) {
            for (var head = connection.readHead(); head != null; head = connection.readHead()) {
                var bytes = connection.readBody(head);
                var body = bytes.length == 0 ? mapper.createObjectNode() : parse(bytes);
                var request = new ModelRequest(head.method(), head.path(), head.headers(), body);
                add(request);
                if (!answer(connection, request)) {
                    return;
                }
            }
        } catch (IOException e) {
            // The engine closed the connection, as it does when it is interrupted.
        } finally {
            connections.remove(socket);
        }
    }

    /** Wraps a body that is not JSON in one string node. */
    private JsonNode parse(byte[] bytes) {
        try {
            return mapper.readTree(bytes);
        } catch (JacksonException e) {
            return mapper.getNodeFactory()
                    .stringNode(new String(bytes, StandardCharsets.ISO_8859_1));
        }
    }

    private synchronized void add(ModelRequest request) {
        requests.add(request);
        notifyAll();
    }

    /** Returns whether the connection stays open. */
    private boolean answer(HttpConnection connection, ModelRequest request) throws IOException {
        var wire = ModelWires.of(request.method(), request.path()).orElse(null);
        if (request.method().equals("HEAD")) {
            connection.answer(200, "text/plain", "", Map.of());
        } else if (request.path().contains("count_tokens")) {
            connection.answer(200, "application/json", "{\"input_tokens\":10}", Map.of());
        } else if (request.path().contains(":countTokens")) {
            connection.answer(200, "application/json", "{\"totalTokens\":10}", Map.of());
        } else if (wire == null) {
            refuse(connection, ModelWires.MESSAGES, 404);
        } else if (!wire.isTurn(request)) {
            say(begin(connection, request), "{\"title\":\"scripted\"}");
        } else {
            var conversation = Conversation.of(request, mapper, this::script);
            return perform(connection, request, conversation, conversation.next());
        }
        return true;
    }

    private boolean perform(
            HttpConnection connection, ModelRequest request, Conversation conversation, Step step)
            throws IOException {
        switch (step) {
            case Step.Say(var text) -> say(begin(connection, request), text);
            case Step.Full(var text) -> {
                var stream = begin(connection, request);
                stream.wholeText(text);
                stream.end("max_tokens");
            }
            case Step.Tool tool -> useTools(begin(connection, request), List.of(tool));
            case Step.Tools(var calls) -> useTools(begin(connection, request), calls);
            case Step.Slow(var chunks, var pauseMs) -> {
                var stream = begin(connection, request);
                stream.beginText();
                for (int i = 0; i < chunks; i++) {
                    stream.text("chunk " + i + " ");
                    pause(pauseMs);
                }
                stream.endBlock();
                stream.end("end_turn");
            }
            case Step.Many(var blocks) -> {
                var stream = begin(connection, request);
                for (int i = 0; i < blocks; i++) {
                    stream.wholeText("block " + i);
                }
                stream.end("end_turn");
            }
            case Step.Status(var code, var times) -> {
                if (priorRefusals(conversation.prompt()) < times) {
                    refuse(connection, wire(request), code);
                } else {
                    say(begin(connection, request), "recovered");
                }
            }
            case Step.Cut() -> {
                // The CLI retries with or without streaming.
                if (priorRefusals(conversation.prompt()) > 0) {
                    say(begin(connection, request), "whole after the cut");
                    return true;
                }
                var stream = begin(connection, request);
                stream.beginText();
                stream.text("half of an ans");
                return false;
            }
            case Step.Hold() -> {
                var stream = begin(connection, request);
                stream.beginText();
                stream.text("holding");
                held.acquireUninterruptibly();
                stream.text(" released");
                stream.endBlock();
                stream.end("end_turn");
            }
        }
        return true;
    }

    private static void say(AnswerStream stream, String text) throws IOException {
        stream.wholeText(text);
        stream.end("end_turn");
    }

    private void useTools(AnswerStream stream, List<Step.Tool> calls) throws IOException {
        for (var call : calls) {
            stream.toolUse("toolu_scripted_" + ids.incrementAndGet(), call.name(), call.input());
        }
        stream.end("tool_use");
    }

    private void refuse(HttpConnection connection, ModelWire wire, int status) throws IOException {
        var body = mapper.writeValueAsString(wire.error(status, mapper));
        // Codex would retry a 429 immediately, before a test can interrupt it.
        var headers =
                wire == ModelWires.RESPONSES
                        ? Map.<String, String>of()
                        : Map.of("retry-after", "0");
        connection.answer(status, "application/json", body, headers);
    }

    private AnswerStream begin(HttpConnection connection, ModelRequest request) throws IOException {
        var wire = wire(request);
        var stream = wire.answer(connection, request, mapper);
        stream.begin("msg_scripted_" + ids.incrementAndGet(), wire.model(request));
        return stream;
    }

    private static ModelWire wire(ModelRequest request) {
        return ModelWires.of(request.method(), request.path()).orElseThrow();
    }

    private synchronized int priorRefusals(String prompt) {
        return refusals.merge(prompt, 1, Integer::sum) - 1;
    }

    /** The delay is the purpose of {@code SLOW}; it does not wait for a condition. */
    private static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        held.release(1_000_000);
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
