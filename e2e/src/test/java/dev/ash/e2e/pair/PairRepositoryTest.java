package dev.ash.e2e.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.ConcurrentTasks;
import dev.ash.e2e.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests the effects of pairs, with the demo engine, on a user's repository. */
class PairRepositoryTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo().pairs();

    private static PairWorld world;

    @BeforeAll
    static void start() {
        world = new PairWorld(ash, "sums");
    }

    private static UserRepo repo(String name) {
        return UserRepo.make(world.repo.path().resolveSibling(name));
    }

    private static JsonNode run(UserRepo repo, String outcome, Map<String, ?> more) {
        var request = new HashMap<String, Object>(more);
        request.put("repository", repo.path().toString());
        return world.run(request, outcome);
    }

    @Test
    void addsABranchAndChangesNothingElse() throws IOException {
        var repo = repo("untouched");
        Files.writeString(repo.path().resolve("README.md"), "changed by hand\n");
        Files.writeString(repo.path().resolve("new.txt"), "not committed\n");
        repo.chown();
        var before = repo.git("status", "--porcelain");

        var end = run(repo, "completed", Map.of());

        assertThat(repo.branches()).containsExactlyInAnyOrder("main", "agentpair/run-1");
        assertThat(repo.git("status", "--porcelain")).isEqualTo(before);
        assertThat(Files.readString(repo.path().resolve("README.md")))
                .isEqualTo("changed by hand\n");
        assertThat(repo.show("agentpair/run-1", "README.md"))
                .as("committed content, without local changes")
                .isEqualTo("# Sums\n");
        assertThat(end.path("rounds").valueStream().map(round -> round.path("verdict").asString()))
                .containsExactly("FAIL", "PASS");
        assertThat(repo.git("log", "--format=%s", "main..agentpair/run-1").lines())
                .as("one commit per round")
                .hasSize(2);
    }

    @Test
    void acceptsAShallowRepository() throws IOException {
        var shallow = repo("shallow");
        shallow.git("commit", "--quiet", "--allow-empty", "--message=second");
        Files.writeString(shallow.path().resolve(".git/shallow"), shallow.head("HEAD") + "\n");
        shallow.git("gc", "--quiet", "--prune=now");
        shallow.chown();

        var end = run(shallow, "completed", Map.of());

        assertThat(shallow.git("log", "--format=%s", "agentpair/run-1").lines()).hasSize(3);
        assertThat(shallow.head("agentpair/run-1")).isEqualTo(end.path("head").asString());
    }

    @Test
    void acceptsASha256Repository() throws IOException {
        var repo = new UserRepo(Files.createDirectories(Path.of(path("sha256"))));
        repo.git("init", "--quiet", "--object-format=sha256", "--initial-branch=main");
        repo.git(
                "-c",
                "user.name=S",
                "-c",
                "user.email=s@example.org",
                "commit",
                "--quiet",
                "--allow-empty",
                "--message=first");
        repo.chown();

        assertThat(run(repo, "completed", Map.of()).path("head").asString()).hasSize(64);
    }

    @Test
    void doesNotRunHooksOfTheRepository() throws IOException {
        var repo = repo("hooks");
        var ran = repo.path().resolve("ran");
        for (var hook : List.of("reference-transaction", "post-checkout", "post-merge")) {
            var file = repo.path().resolve(".git/hooks").resolve(hook);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "#!/bin/sh\ntouch " + ran + "\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        repo.chown();

        run(repo, "completed", Map.of());

        assertThat(ran).doesNotExist();
    }

    @Test
    void doesNotOverwriteAnExistingBranch() {
        var repo = repo("taken");
        repo.git("checkout", "--quiet", "--orphan", "agentpair/run-1");
        repo.git("commit", "--quiet", "--message=mine");
        var mine = repo.head("HEAD");
        repo.git("checkout", "--quiet", "main");
        repo.chown();

        var end = run(repo, "completed", Map.of());

        assertThat(repo.head("refs/heads/agentpair/run-1")).isEqualTo(mine);
        assertThat(repo.head("refs/heads/agentpair/run-1-2"))
                .isEqualTo(end.path("head").asString());
        assertThat(end.path("branch").asString()).isEqualTo("agentpair/run-1-2");
        assertThat(world.read(end.path("id").asString(), "report.md"))
                .contains("`agentpair/run-1-2`");
    }

    @Test
    void doesNotCompleteWithAFailedProof() {
        var end = run(repo("red"), "max_rounds", Map.of("proof", "exit 3", "maxRounds", 2));

        assertThat(end.path("exitCode").asInt()).isEqualTo(12);
        assertThat(end.path("rounds").valueStream().map(round -> round.path("proof").asInt()))
                .containsExactly(3, 3);
    }

    @Test
    void resumesARunWithAHigherLimit() {
        var repo = repo("more");
        var end = run(repo, "max_rounds", Map.of("maxRounds", 1));
        var id = end.path("id").asString();
        var first = end.path("head").asString();

        world.server()
                .api()
                .post("/api/pairs/" + id + "/resume", Map.of("maxRounds", 5))
                .expect(200);
        var again = world.awaitEnd(id);

        assertThat(again.path("outcome").asString()).isEqualTo("completed");
        assertThat(again.path("round").asInt()).isEqualTo(2);
        repo.git("merge-base", "--is-ancestor", first, again.path("head").asString());
    }

    @Test
    void streamsEventsFromAnyPosition() {
        var id = run(repo("stream"), "completed", Map.of()).path("id").asString();
        List<Frame> all;
        try (var frames = world.server().api().follow("/api/pairs/" + id + "/stream")) {
            all = frames.readToEnd();
        }
        assertThat(all.getFirst().data()).contains("\"start\"");
        assertThat(all.getLast().data()).contains("\"end\"", "completed");
        try (var frames = world.server().api().follow("/api/pairs/" + id + "/stream?after=5")) {
            assertThat(frames.readToEnd()).isEqualTo(all.subList(5, all.size()));
        }
    }

    @Test
    void supportsOtherModes() {
        var single = run(repo("single"), "completed", Map.of("mode", "single"));
        assertThat(single.path("reviewer").isMissingNode()).isTrue();

        run(repo("planned"), "completed", Map.of("plan", true));

        var reviewed = repo("reviewed");
        reviewed.git("commit", "--quiet", "--allow-empty", "--message=second");
        reviewed.chown();
        var review = run(reviewed, "rejected", Map.of("mode", "review-only"));
        assertThat(review.path("exitCode").asInt()).isEqualTo(10);
        assertThat(reviewed.branches()).containsExactly("main");
    }

    @Test
    void rejectsInvalidRequestsWithAMessage() {
        var api = world.server().api();
        api.post("/api/pairs", Map.of("repository", "/etc", "task", "x"))
                .refused(403, "PATH_NOT_ALLOWED", "/etc", "ASH_PROJECT_ROOTS");
        assertRejected(Map.of("repository", path("nowhere"), "task", "x"), "does not exist");
        assertRejected(Map.of("repository", path("."), "task", "x"), "git repository");
        var repo = repo("refusing").path().toString();
        assertRejected(Map.of("repository", repo, "task", "  "), "task");
        assertRejected(
                Map.of("repository", repo, "task", "x", "worker", "nobody"), "nobody", "demo");
        assertRejected(Map.of("repository", repo, "task", "x", "mode", "trio"), "mode");
        assertRejected(Map.of("repository", repo, "task", "x", "maxRounds", 0), "maxRounds");
        assertRejected(Map.of("repository", repo, "task", "x", "base", "no-such"), "no-such");
        assertRejected(Map.of("repository", repo, "task", "x", "network", "maybe"), "network");
        assertRejected(
                Map.of("repository", repo, "task", "x", "permissionMode", "x"), "permissionMode");
        assertRejected(
                Map.of("repository", repo, "task", "x", "limits", Map.of("pids", 1)), "pids");
        assertThat(world.start(Map.of("repository", repo)))
                .as("a rejected request uses no run number")
                .endsWith("-1");
        api.get("/api/pairs/nothing-1").refused(404, "PAIR_NOT_FOUND");
    }

    @Test
    void returnsTheSamePairForARepeatedRequest() throws Exception {
        var repo = repo("again");
        var request = Map.of("repository", repo.path().toString(), "task", "Write a file");
        var api = world.server().api();

        var ids =
                ConcurrentTasks.runAll(
                        5,
                        _ ->
                                api.postOnce("key-1", "/api/pairs", request)
                                        .expect(201)
                                        .at("/pair/id")
                                        .asString());

        assertThat(new HashSet<>(ids)).hasSize(1);
        var end = world.awaitEnd(ids.getFirst());
        assertThat(api.postOnce("key-1", "/api/pairs", request).expect(201).at("/pair/id"))
                .isEqualTo(end.path("id"));
        assertThat(repo.branches()).containsExactlyInAnyOrder("main", "agentpair/run-1");
        api.postOnce("key-1", "/api/pairs", Map.of("repository", path("again"), "task", "Another"))
                .refused(422, "IDEMPOTENCY_MISMATCH", "new key");
    }

    @Test
    void removesARunWhoseDirectoryWasDeleted() throws IOException {
        var repo = repo("forgotten");
        var first = run(repo, "completed", Map.of());
        try (var files = Files.walk(Path.of(first.path("folder").asString()))) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        repo.git("branch", "--quiet", "-D", "agentpair/run-1");
        repo.chown();

        var second = run(repo, "completed", Map.of());

        assertThat(second.path("id")).isEqualTo(first.path("id"));
        assertThat(second.path("worker").path("session"))
                .isNotEqualTo(first.path("worker").path("session"));
    }

    @Test
    void appliesLimitsToBothPeers() {
        var terms =
                Map.of(
                        "network",
                        Map.of("allow", List.of("repo.example")),
                        "limits",
                        Map.of("memoryMb", 600),
                        "permissionMode",
                        "bypassPermissions");
        var id = world.start(with(terms));
        world.awaitStep(id, "review");
        for (var peer : List.of("worker", "reviewer")) {
            var session = world.show(id).path(peer).path("session").asString();
            var shown = world.server().api().get("/api/sessions/" + session).expect(200);
            assertThat(shown.at("/session/limits/memoryMb").asInt()).isEqualTo(600);
        }
        world.awaitEnd(id);
    }

    private static Map<String, ?> with(Map<String, ?> more) {
        var request = new HashMap<String, Object>(more);
        request.put("repository", repo("terms").path().toString());
        return request;
    }

    private static String path(String name) {
        return world.repo.path().resolveSibling(name).normalize().toString();
    }

    private static void assertRejected(Map<String, ?> request, String... inMessage) {
        world.server()
                .api()
                .post("/api/pairs", request)
                .refused(400, "VALIDATION_FAILED", inMessage);
    }

    @Test
    void makesFilesOfARunReadableOnlyByTheirOwner() throws IOException {
        var id = run(repo("private"), "completed", Map.of()).path("id").asString();
        try (var files = Files.list(world.runDirectory(id))) {
            assertThat(files)
                    .extracting(Path::getFileName)
                    .extracting(Path::toString)
                    .contains("bridge.jsonl", "manifest.json", "transcript.jsonl", "report.md");
        }
        try (var files = Files.list(world.runDirectory(id))) {
            assertThat(files)
                    .allSatisfy(
                            file ->
                                    assertThat(Files.getPosixFilePermissions(file))
                                            .isEqualTo(
                                                    PosixFilePermissions.fromString("rw-------")));
        }
    }
}
