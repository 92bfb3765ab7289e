package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests git status and diff requests of a device. */
@NeedsClaude
class GitConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static String session;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair());
        session = phone.start("claude-code", ash.project().directory());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    private static JsonNode status() {
        return phone.ask(
                "git_status_request", Map.of("session_id", session), "git_status_response");
    }

    private static JsonNode diff(List<String> files, boolean cached) {
        var payload = new HashMap<String, Object>();
        payload.put("session_id", session);
        payload.put("files", files);
        payload.put("cached", cached);
        return phone.ask("git_diff", payload, "git_diff_response");
    }

    private static JsonNode named(JsonNode list, String path) {
        return list.valueStream()
                .filter(each -> each.path("path").asString().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError(path + " is not in " + list));
    }

    @TestFactory
    Stream<DynamicTest> sendsGitStatusResponseWithEveryField() {
        var status = status();
        var fields =
                Checks.of("git_status_response", status)
                        .equal("session_id", session)
                        .equal("branch", "main")
                        .equal("ahead", 2)
                        .equal("behind", 1)
                        .equal("is_clean", false)
                        .list("changes")
                        .all();
        var changes =
                Stream.of(
                        change(status, "notes.txt", "modified", 2, 1),
                        change(status, "staged.txt", "added", 1, 0),
                        change(status, "untracked.txt", "untracked", 3, 0),
                        change(status, "gone.txt", "deleted", 0, 1),
                        change(status, "new name.txt", "renamed", 0, 0),
                        change(status, "logo.bin", "modified", 0, 0),
                        change(status, SampleRepository.QUOTED, "modified", 1, 0),
                        DynamicTest.dynamicTest(
                                "git_status_response.changes has no others",
                                () -> assertThat(status.path("changes").size()).isEqualTo(7)));
        return Stream.concat(fields, changes);
    }

    private static DynamicTest change(
            JsonNode status, String path, String how, int additions, int deletions) {
        return DynamicTest.dynamicTest(
                "git_status_response.changes: %s is %s".formatted(path, how),
                () -> {
                    var change = named(status.path("changes"), path);
                    assertThat(change.path("status").asString()).isEqualTo(how);
                    assertThat(change.path("additions").isIntegralNumber()).isTrue();
                    assertThat(change.path("additions").asInt()).isEqualTo(additions);
                    assertThat(change.path("deletions").isIntegralNumber()).isTrue();
                    assertThat(change.path("deletions").asInt()).isEqualTo(deletions);
                });
    }

    @TestFactory
    Stream<DynamicTest> sendsGitDiffResponseWithEveryField() {
        var diff = diff(List.of("notes.txt"), false);
        assertThat(diff.path("files").size()).isEqualTo(1);
        var hunk = diff.at("/files/0/hunks/0");
        return Stream.of(
                        Checks.of("git_diff_response", diff).equal("session_id", session).all(),
                        Checks.of("git_diff_response.files", diff.at("/files/0"))
                                .equal("path", "notes.txt")
                                .equal("old_path", "notes.txt")
                                .equal("new_path", "notes.txt")
                                .equal("status", "modified")
                                .equal("additions", 2)
                                .equal("deletions", 1)
                                .all(),
                        Checks.of("git_diff_response.files.hunks", hunk)
                                .equal("header", "@@ -1,7 +1,8 @@")
                                .equal("old_start", 1)
                                .equal("old_lines", 7)
                                .equal("new_start", 1)
                                .equal("new_lines", 8)
                                .equal("lines/0/type", "context")
                                .equal("lines/0/content", " one")
                                .equal("lines/3/type", "removed")
                                .equal("lines/3/content", "-four")
                                .equal("lines/4/type", "added")
                                .equal("lines/4/content", "+FOUR")
                                .all())
                .flatMap(each -> each);
    }

    @Test
    void sendsHunksWithConsistentLineCounts() {
        var files = diff(null, false).path("files");
        assertThat(files.size()).isGreaterThan(3);
        for (var file : files) {
            int added = 0;
            int removed = 0;
            for (var hunk : file.path("hunks")) {
                added += count(hunk, "added");
                removed += count(hunk, "removed");
                assertThat(count(hunk, "context") + count(hunk, "removed"))
                        .as("%s", hunk)
                        .isEqualTo(hunk.path("old_lines").asInt());
                assertThat(count(hunk, "context") + count(hunk, "added"))
                        .as("%s", hunk)
                        .isEqualTo(hunk.path("new_lines").asInt());
            }
            assertThat(file.path("additions").asInt()).as("%s", file).isEqualTo(added);
            assertThat(file.path("deletions").asInt()).as("%s", file).isEqualTo(removed);
        }
    }

    private static int count(JsonNode hunk, String type) {
        return (int)
                hunk.path("lines")
                        .valueStream()
                        .filter(line -> line.path("type").asString().equals(type))
                        .count();
    }

    @Test
    void includesUntrackedFilesInUnstagedChanges() {
        assertThat(
                        diff(null, false)
                                .path("files")
                                .valueStream()
                                .map(f -> f.path("path").asString()))
                .containsExactlyInAnyOrder(
                        "notes.txt",
                        "gone.txt",
                        "logo.bin",
                        "untracked.txt",
                        SampleRepository.QUOTED);
    }

    @Test
    void sendsStagedChangesWithRenamesForCached() {
        var files = diff(null, true).path("files");
        assertThat(files.valueStream().map(f -> f.path("path").asString()))
                .containsExactlyInAnyOrder("staged.txt", "new name.txt");
        var renamed = named(files, "new name.txt");
        assertThat(renamed.path("status").asString()).isEqualTo("renamed");
        assertThat(renamed.path("old_path").asString()).isEqualTo("old name.txt");
        assertThat(renamed.path("new_path").asString()).isEqualTo("new name.txt");
    }

    @Test
    void sendsNoHunksForABinaryFile() {
        var file = named(diff(List.of("logo.bin"), false).path("files"), "logo.bin");
        assertThat(file.path("status").asString()).isEqualTo("modified");
        assertThat(file.path("hunks").isArray()).isTrue();
        assertThat(file.path("hunks").size()).isZero();
        assertThat(file.path("binary").asBoolean()).isTrue();
    }

    @Test
    void acceptsAbsolutePathsInTheProject() {
        var files = diff(List.of(ash.project().directory() + "/notes.txt"), false).path("files");
        assertThat(files.at("/0/path").asString()).isEqualTo("notes.txt");
    }

    @Test
    void reportsAFileOutsideTheProjectAsBridgeError() {
        phone.assertError(
                "git_diff",
                Map.of("session_id", session, "files", List.of("/etc/passwd")),
                "BRIDGE_ERROR",
                true);
    }

    @Test
    void reportsADirectoryWithoutARepositoryAsGitError() {
        var other = phone.start(AshExtension.AGENT, null);
        phone.assertError("git_status_request", Map.of("session_id", other), "GIT_ERROR", true);
    }
}
