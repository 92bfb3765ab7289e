package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.TestFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A server, a user's repository, and pairs that work on it. */
final class PairWorld implements AutoCloseable {
    private static final Duration LONG = Duration.ofMinutes(3);

    private final TestFolder folder;
    private final Map<String, String> environment;
    private AshServer server;
    final UserRepo repo;

    PairWorld(Map<String, String> environment) {
        this(environment, List.of());
    }

    /** The first server in a JVM with these flags, those after it without. */
    PairWorld(Map<String, String> environment, List<String> flags) {
        this.folder = TestFolder.create();
        this.repo = UserRepo.make(folder.path().resolve("projects/sums"));
        this.environment = new HashMap<>(environment);
        this.environment.put("ASH_PROJECT_ROOTS", folder.path().resolve("projects").toString());
        this.environment.put("ASH_PAIR_DIR", folder.path().resolve("agentpair").toString());
        this.server = AshServer.start(this.environment, folder, flags);
    }

    AshServer server() {
        return server;
    }

    /** SIGKILL, and another server in its place. */
    void killServer() throws InterruptedException {
        server.kill();
        server = server.startAgain();
    }

    /** SIGTERM, and another server in its place. */
    void stopServer() {
        server.stop();
        server = server.startAgain();
    }

    String start(Map<String, ?> wishes) {
        var request = new HashMap<String, Object>(wishes);
        request.putIfAbsent("repository", repo.path().toString());
        request.putIfAbsent("task", "Write a file that has a sum");
        return server.api().post("/api/pairs", request).expect(201).at("/pair/id").asString();
    }

    JsonNode show(String id) {
        return server.api().get("/api/pairs/" + id).expect(200).at("/pair");
    }

    /** Waits for the end, and tells all about it. */
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

    JsonNode run(Map<String, ?> wishes, String outcome) {
        var end = awaitEnd(start(wishes));
        assertThat(end.path("outcome").asString()).as(end.toPrettyString()).isEqualTo(outcome);
        return end;
    }

    List<JsonNode> messages(String id) {
        return server.api()
                .get("/api/pairs/" + id + "/messages")
                .expect(200)
                .at("/messages")
                .valueStream()
                .toList();
    }

    /** Whether a command ends with 0 in the worker's sandbox. */
    boolean succeeds(String id, String command) {
        var session = show(id).path("worker").path("session").asString("");
        if (session.isEmpty()) {
            return false; // it has no session yet
        }
        var answer =
                server.api().post("/api/sessions/" + session + "/exec", Map.of("command", command));
        return answer.status() == 200 && answer.at("/exitCode").asInt(-1) == 0;
    }

    Path runFolder(String id) {
        return Path.of(show(id).path("folder").asString());
    }

    String read(String id, String file) {
        try {
            return Files.readString(runFolder(id).resolve(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
