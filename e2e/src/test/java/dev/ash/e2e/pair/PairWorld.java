package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/** Starts pairs on a user's repository and reads their state. */
final class PairWorld {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final AtomicInteger REPOSITORIES = new AtomicInteger();

    private final AshExtension ash;
    final UserRepo repo;

    /** Creates a new repository; requires {@link AshExtension#pairs}. */
    PairWorld(AshExtension ash) {
        this(ash, "sums-" + REPOSITORIES.incrementAndGet());
    }

    PairWorld(AshExtension ash, String name) {
        this.ash = ash;
        this.repo = UserRepo.make(ash.projects().resolve(name));
    }

    AshServer server() {
        return ash.server();
    }

    /** Kills the server with SIGKILL and starts another one. */
    void killServer() throws InterruptedException {
        ash.kill();
        ash.startAgain();
    }

    /** Stops the server with SIGTERM and starts another one. */
    void stopServer() {
        ash.stop();
        ash.startAgain();
    }

    String start(Map<String, ?> options) {
        var request = new HashMap<String, Object>(options);
        request.putIfAbsent("repository", repo.path().toString());
        request.putIfAbsent("task", "Write a file that has a sum");
        return ash.api().post("/api/pairs", request).expect(201).at("/pair/id").asString();
    }

    JsonNode show(String id) {
        return ash.api().get("/api/pairs/" + id).expect(200).at("/pair");
    }

    /** Waits for the end of the pair and returns its final state. */
    JsonNode awaitEnd(String id) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> show(id).path("state").asString().equals("over"));
        return show(id);
    }

    void awaitStep(String id, String step) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> show(id).path("step").asString().equals(step));
    }

    JsonNode run(Map<String, ?> options, String outcome) {
        var end = awaitEnd(start(options));
        assertThat(end.path("outcome").asString()).as(end.toPrettyString()).isEqualTo(outcome);
        return end;
    }

    List<JsonNode> messages(String id) {
        return ash.api()
                .get("/api/pairs/" + id + "/messages")
                .expect(200)
                .at("/messages")
                .valueStream()
                .toList();
    }

    /** Returns whether a command exits with 0 in the worker's sandbox. */
    boolean succeeds(String id, String command) {
        var session = show(id).path("worker").path("session").asString("");
        if (session.isEmpty()) {
            return false; // the worker has no session yet
        }
        var answer =
                ash.api().post("/api/sessions/" + session + "/exec", Map.of("command", command));
        return answer.status() == 200 && answer.at("/exitCode").asInt(-1) == 0;
    }

    Path runDirectory(String id) {
        return Path.of(show(id).path("folder").asString());
    }

    String read(String id, String file) {
        try {
            return Files.readString(runDirectory(id).resolve(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
