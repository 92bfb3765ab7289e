package dev.ash.e2e;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Tenant that does ordinary work during an attack and checks every response. */
final class HeapVictim implements AutoCloseable {
    /** A round makes 14 requests, which stays below the rate limit of a key. */
    private static final long ROUND_NANOS = 100_000_000;

    private final Api api;
    private final String session;
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private int turns;
    private long lastRow;

    HeapVictim(AshServer server) {
        var key = Tenant.key(server, "second-tenant").key();
        this.api = new Api(server.api().base(), key);
        api.post("/api/agents", Tenant.agent("ordinary", "nothing")).expect(201);
        var created = api.post("/api/sessions", Map.of("agent", "ordinary")).expect(201);
        this.session = "/api/sessions/" + created.at("/session/id").asString();
    }

    /** Works for this time; returns the 99th percentile of the latency of each kind of request. */
    Map<String, Duration> workFor(Duration length) {
        var times = new HashMap<String, List<Duration>>();
        long end = System.nanoTime() + length.toNanos();
        long next = System.nanoTime();
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(next - System.nanoTime());
            next = System.nanoTime() + ROUND_NANOS; // do not catch up after a slow round
            var text = "hello " + ++turns;
            timed(times, "turn", () -> turn(text));
            timed(times, "page", () -> page(text));
            timed(times, "upload", () -> upload(text));
            for (int i = 0; i < 10; i++) {
                timed(times, "show", () -> show());
            }
        }
        var slowest = new HashMap<String, Duration>();
        times.forEach(
                (kind, all) ->
                        slowest.put(
                                kind, all.stream().sorted().toList().get(all.size() * 99 / 100)));
        return slowest;
    }

    private interface Step {
        void run() throws Exception;
    }

    private void timed(Map<String, List<Duration>> times, String kind, Step step) {
        long begin = System.nanoTime();
        try {
            step.run();
        } catch (Exception | AssertionError e) {
            failures.add(kind + ": " + e);
        }
        times.computeIfAbsent(kind, _ -> new ArrayList<>())
                .add(Duration.ofNanos(System.nanoTime() - begin));
    }

    private void turn(String text) {
        var answer = api.post(session + "/messages", Map.of("content", text));
        check("turn", "done", Frame.names(answer.frames()).getLast());
    }

    /** Reads the rows of the last turn only, so that all pages have the same length. */
    private void page(String text) {
        var page = api.get(session + "/messages?limit=1000&after=" + lastRow).expect(200);
        var rows = page.at("/messages");
        var content = rows.path(0).path("content").asString();
        check("page", "{\"type\":\"user\",\"content\":\"%s\"}".formatted(text), content);
        lastRow = rows.path(rows.size() - 1).path("sequence").asLong(lastRow);
    }

    private void upload(String text) {
        var files = List.of(Tenant.upload("note.txt", text));
        api.post(session + "/files", Map.of("files", files)).expect(200);
        check("upload", text, api.get(session + "/files/note.txt").expect(200).text());
    }

    private void show() {
        check("show", "active", api.get(session).expect(200).at("/session/status").asString());
    }

    private void check(String kind, String expected, String actual) {
        if (!expected.equals(actual)) {
            failures.add("%s: expected %s but was %s".formatted(kind, expected, actual));
        }
    }

    List<String> failures() {
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        api.close();
    }
}
