package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Hostile tenant that tries to exhaust the server's heap with every kind of request. */
final class HeapAttack implements AutoCloseable {
    static final Set<String> KINDS =
            Set.of(
                    "prompts",
                    "malformed",
                    "messages",
                    "events",
                    "stalled",
                    "polls",
                    "uploads",
                    "half-sent",
                    "lists");

    /** Number of prompts to store; the audit needed forty to exhaust the heap. */
    private static final int STORED_PROMPTS = 40;

    /** Prompts to store before the other attacks start, so that they have data to read. */
    private static final int FIRST_PROMPTS = 16;

    private static final int SESSIONS = 3;
    private static final int READ_TIMEOUT_MS = 90_000;

    private final URI base;
    private final String key;
    private final List<String> sessions = new ArrayList<>();
    private final byte[] prompt = prompt();
    private final byte[] upload = upload();
    private final AtomicInteger prompts = new AtomicInteger();
    private final CountDownLatch firstPromptsStored = new CountDownLatch(FIRST_PROMPTS);
    private final AtomicBoolean finished = new AtomicBoolean();
    private final List<Thread> threads = new ArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, AtomicInteger> counts = new ConcurrentSkipListMap<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    HeapAttack(AshServer server) {
        this.base = URI.create(server.api().base());
        this.key = server.api().key();
        server.deploy("hostile");
        for (int i = 0; i < SESSIONS; i++) {
            sessions.add(server.session("hostile").path());
        }
    }

    void start() {
        repeat("prompts", 4, this::sendPrompt);
        try {
            firstPromptsStored.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        repeat("malformed", 4, this::sendMalformed);
        repeat("messages", 6, session -> get("messages", session + "/messages?limit=1000"));
        repeat("events", 3, session -> get("events", session + "/events?limit=1000"));
        repeat("stalled", 30, this::stallReading);
        repeat("polls", 20, session -> get("polls", session + "/events?after=999999&wait=2000"));
        repeat("uploads", 3, session -> post("uploads", session + "/files", upload));
        repeat("half-sent", 6, this::sendHalf);
        repeat("lists", 2, _ -> get("lists", "/api/sessions?limit=1000"));
        repeat("lists", 2, _ -> get("lists", "/api/approvals?limit=1000"));
    }

    private interface Attack {
        void on(String session) throws IOException;
    }

    private void repeat(String kind, int threadCount, Attack attack) {
        for (int i = 0; i < threadCount; i++) {
            var session = sessions.get(i % SESSIONS);
            threads.add(
                    Thread.ofVirtual()
                            .name(kind)
                            .start(
                                    () -> {
                                        while (!finished.get()) {
                                            attempt(kind, attack, session);
                                        }
                                    }));
        }
    }

    private void attempt(String kind, Attack attack, String session) {
        try {
            attack.on(session);
        } catch (IOException e) {
            count(kind + " disconnected"); // the server may disconnect slow clients
        } catch (RuntimeException | Error e) {
            failures.add(kind + ": " + e);
        }
    }

    private void sendPrompt(String session) throws IOException {
        try {
            if (prompts.incrementAndGet() > STORED_PROMPTS) {
                sendMalformed(session);
            } else if (post("prompts", session + "/messages", prompt) == 400) {
                post("prompts", session + "/resume", new byte[0]);
            }
        } finally {
            firstPromptsStored.countDown(); // also if the server is down; the test detects that
        }
    }

    /** Sends a prompt that is malformed at its last byte, so that the server reads all of it. */
    private void sendMalformed(String session) throws IOException {
        var cut = prompt.clone();
        cut[cut.length - 1] = ' ';
        post("malformed", session + "/messages", cut);
    }

    private void get(String kind, String path) throws IOException {
        try (var socket = request("GET", path, -1)) {
            readResponse(kind, socket, true);
        } finally {
            removeClosedSockets();
        }
    }

    private int post(String kind, String path, byte[] body) throws IOException {
        try (var socket = request("POST", path, body.length)) {
            socket.getOutputStream().write(body);
            return readResponse(kind, socket, false);
        } finally {
            removeClosedSockets();
        }
    }

    /** Reads the beginning of a page or a stream, then stops reading. */
    private void stallReading(String session) throws IOException {
        var path = System.nanoTime() % 2 == 0 ? "/stream?after=0" : "/messages?limit=1000";
        try (var socket = request("GET", session + path, -1)) {
            readResponse("stalled", socket, false);
            waitUntilFinished(20_000);
        } finally {
            removeClosedSockets();
        }
    }

    private void sendHalf(String session) throws IOException {
        try (var socket = request("POST", session + "/messages", prompt.length)) {
            socket.getOutputStream().write(prompt, 0, prompt.length / 2);
            count("half-sent");
            waitUntilFinished(2_000);
        } finally {
            removeClosedSockets();
        }
    }

    /** Waits until the attack is finished, or for this time. */
    private void waitUntilFinished(int millis) throws IOException {
        synchronized (finished) {
            try {
                if (!finished.get()) {
                    finished.wait(millis);
                }
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private Socket request(String method, String path, int length) throws IOException {
        var socket = new Socket();
        open.add(socket);
        if (finished.get()) {
            socket.close();
        }
        socket.setReceiveBufferSize(64 * 1024);
        socket.setSoTimeout(READ_TIMEOUT_MS);
        socket.connect(
                new InetSocketAddress(InetAddress.getByName(base.getHost()), base.getPort()));
        var head =
                "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n"
                        .formatted(method, path, base.getAuthority(), key);
        var body =
                length < 0
                        ? ""
                        : "Content-Type: application/json\r\nContent-Length: " + length + "\r\n";
        socket.getOutputStream().write((head + body + "\r\n").getBytes(UTF_8));
        return socket;
    }

    private void removeClosedSockets() {
        open.removeIf(Socket::isClosed);
    }

    /**
     * Reads the response and returns its status; records any status from 500 on except 503 as a
     * failure.
     */
    private int readResponse(String kind, Socket socket, boolean whole) throws IOException {
        var in = socket.getInputStream();
        var line = statusLine(in);
        int status = line.startsWith("HTTP/1.1 ") ? Integer.parseInt(line.substring(9, 12)) : 0;
        if (whole) {
            var scratch = new byte[64 * 1024];
            for (int n = 0; n >= 0; n = in.read(scratch)) {}
        }
        count(kind);
        count(kind + " " + status);
        if (status >= 500 && status != 503) {
            failures.add("%s: %s %s".formatted(kind, line, new String(in.readNBytes(600), UTF_8)));
        }
        return status;
    }

    private static String statusLine(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new IOException("connection closed");
            }
            line.append((char) c);
        }
        return line.toString();
    }

    private void count(String kind) {
        counts.computeIfAbsent(kind, _ -> new AtomicInteger()).incrementAndGet();
    }

    Map<String, AtomicInteger> counts() {
        return new TreeMap<>(counts);
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    void stop() {
        finished.set(true);
        synchronized (finished) {
            finished.notifyAll();
        }
        for (var socket : open) {
            try {
                socket.close();
            } catch (IOException e) {
                // already closed
            }
        }
        for (var thread : threads) {
            join(thread);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns a prompt of 9.5 MB: the maximum number of blocks, each of the maximum length. */
    private static byte[] prompt() {
        var block = "{\"type\":\"text\",\"text\":\"" + "x".repeat(490_000) + "\"}";
        var blocks = new String[19];
        Arrays.fill(blocks, block);
        return ("{\"whenBusy\":\"queue\",\"content\":[" + String.join(",", blocks) + "]}")
                .getBytes(UTF_8);
    }

    private static byte[] upload() {
        var content = "QUJD".repeat(10_000_000);
        return ("{\"files\":[{\"path\":\"large\",\"content\":\"" + content + "\"}]}")
                .getBytes(UTF_8);
    }

    @Override
    public void close() {
        stop();
    }
}
