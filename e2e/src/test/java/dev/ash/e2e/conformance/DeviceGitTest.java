package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: git operations. */
class DeviceGitTest {
    @RegisterExtension static final AshExtension ash = SharedServers.DEVICES;

    private static final String SCREEN = DeviceProject.SCREEN;
    private static final String AUTH_FILE = "lib/auth.dart";

    private static DeviceGateway gateway;
    private static DeviceSocket device;
    private static String session;
    private static JsonNode status;
    private static JsonNode diff;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash, "git");
        device = gateway.connect();
        session = gateway.startSession(device);
        gateway.project()
                .write(
                        SCREEN,
                        "1\n2\n3\n4\n5\n" + DeviceProject.COMMITTED.replace("// 10\n// 11\n", ""));
        status = status();
        changeOneLine();
        diff = diff("[\"%s\"]".formatted(SCREEN), false);
        gateway.project().reset();
    }

    @AfterAll
    static void stop() {
        device.close();
    }

    private static void changeOneLine() {
        gateway.project().write(SCREEN, DeviceProject.COMMITTED.replace("wsAllowed", "requireWss"));
    }

    private static String adapted(String frame) {
        return frame.replace("sess-abc123", session);
    }

    private static JsonNode status() {
        return device.ask(
                adapted(
                        """
                        { "type": "git_status_request", "id": "git-001", \
                        "payload": { "session_id": "sess-abc123" }}"""));
    }

    private static JsonNode diff(String files, boolean cached) {
        return device.ask(
                adapted(
                        """
                        { "type": "git_diff", "id": "git-003", "payload": { \
                        "session_id": "sess-abc123", "files": %s, "cached": %s }}"""
                                .formatted(files, cached)));
    }

    private static JsonNode commit(String files) {
        return device.ask(
                adapted(
                        """
                        { "type": "git_commit", "id": "git-002", "payload": { \
                        "session_id": "sess-abc123", \
                        "message": "Tighten bridge startup validation", "files": %s }}"""
                                .formatted(files)));
    }

    @Statement(id = "004-180", says = "git_status_request is answered with git_status_response")
    @Test
    void answersAStatusRequestWithItsId() {
        assertThat(status.path("type").asString()).isEqualTo("git_status_response");
        assertThat(status.path("id").asString()).isEqualTo("git-001");
    }

    @Statement(id = "004-181", says = "git_status_response: session_id")
    @Test
    void sendsTheSessionOfAStatus() {
        assertThat(status.at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-182", says = "git_status_response: branch")
    @Test
    void sendsTheBranchOfAStatus() {
        assertThat(status.at("/payload/branch").asString()).isEqualTo("feature/bridge-startup");
    }

    @Statement(id = "004-183", says = "git_status_response: ahead")
    @Test
    void countsCommitsAhead() {
        assertThat(status.at("/payload/ahead").isIntegralNumber()).isTrue();
        assertThat(status.at("/payload/ahead").asInt()).isEqualTo(2);
    }

    @Statement(id = "004-184", says = "git_status_response: behind")
    @Test
    void countsCommitsBehind() {
        assertThat(status.at("/payload/behind").isIntegralNumber()).isTrue();
        assertThat(status.at("/payload/behind").asInt()).isZero();
    }

    @Statement(id = "004-185", says = "git_status_response: is_clean is false with changes")
    @Test
    void isNotCleanWithChanges() {
        assertThat(status.at("/payload/is_clean").asBoolean(true)).isFalse();
    }

    @Statement(id = "004-186", says = "git_status_response: is_clean is true without changes")
    @Test
    void isCleanWithoutChanges() {
        gateway.project().reset();
        var clean = status();
        assertThat(clean.at("/payload/is_clean").asBoolean(false)).isTrue();
        assertThat(clean.at("/payload/changes").isEmpty()).isTrue();
    }

    private static JsonNode change() {
        var changes = status.at("/payload/changes");
        assertThat(changes.size()).as("%s", changes).isEqualTo(1);
        return changes.get(0);
    }

    @Statement(id = "004-187", says = "git_status_response: changes have a path")
    @Test
    void sendsThePathOfAChange() {
        assertThat(change().path("path").asString()).isEqualTo(SCREEN);
    }

    @Statement(id = "004-188", says = "git_status_response: changes have a status: modified")
    @Test
    void sendsTheStatusOfAChange() {
        assertThat(change().path("status").asString()).isEqualTo("modified");
    }

    @Statement(id = "004-189", says = "git_status_response: changes have additions")
    @Test
    void countsAddedLines() {
        assertThat(change().path("additions").isIntegralNumber()).isTrue();
        assertThat(change().path("additions").asInt()).isEqualTo(5);
    }

    @Statement(id = "004-190", says = "git_status_response: changes have deletions")
    @Test
    void countsDeletedLines() {
        assertThat(change().path("deletions").isIntegralNumber()).isTrue();
        assertThat(change().path("deletions").asInt()).isEqualTo(2);
    }

    @Statement(id = "004-191", says = "git_commit: message is that of the commit")
    @Test
    void commitsWithTheMessage() {
        gateway.project().reset();
        changeOneLine();
        commit("[\"%s\"]".formatted(SCREEN));
        assertThat(gateway.project().git("log", "-1", "--format=%s").strip())
                .isEqualTo("Tighten bridge startup validation");
        undo();
    }

    private static void undo() {
        gateway.project().git("reset", "--quiet", "--hard", "HEAD^");
        gateway.project().reset();
    }

    @Statement(id = "004-192", says = "git_commit: files are the committed files")
    @Test
    void commitsTheNamedFiles() {
        gateway.project().reset();
        changeOneLine();
        gateway.project().write(AUTH_FILE, "changed\n");
        commit("[\"%s\"]".formatted(SCREEN));
        assertThat(committed()).containsExactly(SCREEN);
        undo();
    }

    private static List<String> committed() {
        return gateway.project().git("show", "--name-only", "--format=", "HEAD").lines().toList();
    }

    @Statement(id = "004-193", says = "git_commit: files null commits all staged changes")
    @Test
    void commitsStagedChanges() {
        gateway.project().reset();
        changeOneLine();
        gateway.project().write(AUTH_FILE, "changed\n");
        gateway.project().stage(AUTH_FILE);
        commit("null");
        assertThat(committed()).containsExactly(AUTH_FILE);
        undo();
    }

    @Statement(id = "004-194", says = "git_commit has an answer with its id")
    @Test
    void answersACommitWithTheNewStatus() {
        gateway.project().reset();
        changeOneLine();
        var answer = commit("[\"%s\"]".formatted(SCREEN));
        assertThat(answer.path("type").asString()).isEqualTo("git_status_response");
        assertThat(answer.path("id").asString()).isEqualTo("git-002");
        assertThat(answer.at("/payload/ahead").asInt()).isEqualTo(3);
        undo();
    }

    @Statement(id = "004-195", says = "git_diff is answered with git_diff_response")
    @Test
    void answersADiffRequestWithItsId() {
        assertThat(diff.path("type").asString()).isEqualTo("git_diff_response");
        assertThat(diff.path("id").asString()).isEqualTo("git-003");
        assertThat(diff.at("/payload/session_id").asString()).isEqualTo(session);
    }

    private static List<String> paths(JsonNode response) {
        return response.at("/payload/files")
                .valueStream()
                .map(file -> file.path("path").asString())
                .toList();
    }

    @Statement(id = "004-196", says = "git_diff: files limits the diff to these files")
    @Test
    void comparesTheNamedFiles() {
        gateway.project().reset();
        changeOneLine();
        gateway.project().write(AUTH_FILE, "changed\n");
        assertThat(paths(diff("[\"%s\"]".formatted(SCREEN), false))).containsExactly(SCREEN);
    }

    @Statement(id = "004-197", says = "git_diff: files null compares all changes")
    @Test
    void comparesAllChanges() {
        gateway.project().reset();
        changeOneLine();
        gateway.project().write(AUTH_FILE, "changed\n");
        assertThat(paths(diff("null", false))).containsExactlyInAnyOrder(SCREEN, AUTH_FILE);
    }

    @Statement(id = "004-198", says = "git_diff: cached selects staged changes")
    @Test
    void comparesStagedChanges() {
        gateway.project().reset();
        changeOneLine();
        gateway.project().write(AUTH_FILE, "changed\n");
        gateway.project().stage(AUTH_FILE);
        assertThat(paths(diff("null", true))).containsExactly(AUTH_FILE);
        assertThat(paths(diff("null", false))).containsExactly(SCREEN);
    }

    private static JsonNode file() {
        var files = diff.at("/payload/files");
        assertThat(files.size()).as("%s", files).isEqualTo(1);
        return files.get(0);
    }

    @Statement(id = "004-199", says = "git_diff_response: files have path, old_path and new_path")
    @Test
    void sendsThePathsOfADiff() {
        assertThat(file().path("path").asString()).isEqualTo(SCREEN);
        assertThat(file().path("old_path").asString()).isEqualTo(SCREEN);
        assertThat(file().path("new_path").asString()).isEqualTo(SCREEN);
    }

    @Statement(id = "004-200", says = "git_diff_response: files have a status")
    @Test
    void sendsTheStatusOfADiff() {
        assertThat(file().path("status").asString()).isEqualTo("modified");
    }

    @Statement(id = "004-201", says = "git_diff_response: files have additions")
    @Test
    void countsTheAddedLinesOfADiff() {
        assertThat(file().path("additions").isIntegralNumber()).isTrue();
        assertThat(file().path("additions").asInt()).isEqualTo(1);
    }

    @Statement(id = "004-202", says = "git_diff_response: files have deletions")
    @Test
    void countsTheDeletedLinesOfADiff() {
        assertThat(file().path("deletions").isIntegralNumber()).isTrue();
        assertThat(file().path("deletions").asInt()).isEqualTo(1);
    }

    private static JsonNode hunk() {
        var hunks = file().path("hunks");
        assertThat(hunks.size()).as("%s", hunks).isEqualTo(1);
        return hunks.get(0);
    }

    @Statement(id = "004-203", says = "git_diff_response: a hunk has a header")
    @Test
    void sendsTheHeaderOfAHunk() {
        assertThat(hunk().path("header").asString()).isEqualTo("@@ -10,5 +10,5 @@");
    }

    @Statement(id = "004-204", says = "git_diff_response: a hunk has old_start and old_lines")
    @Test
    void sendsTheOldRangeOfAHunk() {
        assertThat(hunk().path("old_start").asInt()).isEqualTo(10);
        assertThat(hunk().path("old_lines").asInt()).isEqualTo(5);
    }

    @Statement(id = "004-205", says = "git_diff_response: a hunk has new_start and new_lines")
    @Test
    void sendsTheNewRangeOfAHunk() {
        assertThat(hunk().path("new_start").asInt()).isEqualTo(10);
        assertThat(hunk().path("new_lines").asInt()).isEqualTo(5);
    }

    private static List<String> lines(String type) {
        return hunk().path("lines")
                .valueStream()
                .filter(line -> line.path("type").asString().equals(type))
                .map(line -> line.path("content").asString())
                .toList();
    }

    @Statement(id = "004-206", says = "git_diff_response: context lines begin with a space")
    @Test
    void sendsContextLines() {
        assertThat(lines("context"))
                .containsExactly(
                        " // 10", " // 11", " class BridgeConnectionValidator {", "   // ...");
    }

    @Statement(id = "004-207", says = "git_diff_response: removed lines begin with a minus")
    @Test
    void sendsRemovedLines() {
        assertThat(lines("removed")).containsExactly("-  return wsAllowed(url);");
    }

    @Statement(id = "004-208", says = "git_diff_response: added lines begin with a plus")
    @Test
    void sendsAddedLines() {
        assertThat(lines("added")).containsExactly("+  return requireWss(url);");
    }
}
