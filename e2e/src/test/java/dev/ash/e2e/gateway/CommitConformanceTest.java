package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests commits by a device; each test builds on the state after the previous one. */
@NeedsClaude
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CommitConformanceTest {
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

    @Order(2)
    @Test
    void commitsExactlyTheStagedChangesForNull() {
        var after = phone.ask("git_commit", commit("staged alone", null), "git_status_response");
        assertThat(ash.project().git("show", "--name-status", "--format=%s", "HEAD").lines())
                .contains("staged alone", "A\tstaged.txt")
                .noneMatch(line -> line.contains("notes.txt") || line.contains("untracked"));
        assertThat(after.path("ahead").asInt()).isEqualTo(3);
        assertThat(after.path("changes").valueStream().map(c -> c.path("path").asString()))
                .contains("notes.txt", "untracked.txt")
                .doesNotContain("staged.txt", "new name.txt");
    }

    @Order(3)
    @Test
    void commitsOnlyTheNamedFiles() {
        phone.ask(
                "git_commit",
                commit("notes", List.of("notes.txt", SampleRepository.QUOTED)),
                "git_status_response");
        assertThat(ash.project().git("show", "-z", "--name-only", "--format=%s", "HEAD"))
                .contains("notes.txt", SampleRepository.QUOTED)
                .doesNotContain("untracked.txt");
    }

    @Order(4)
    @Test
    void reportsACommitWithoutStagedChangesAsGitError() {
        var error = phone.assertError("git_commit", commit("nothing", null), "GIT_ERROR", true);
        assertThat(error.path("message").asString()).contains("nothing is staged");
        assertThat(error.path("session_id").asString()).isEqualTo(session);
    }

    @Order(4)
    @Test
    void reportsACommitWithoutAMessageAsGitError() {
        phone.assertError("git_commit", commit("", List.of("untracked.txt")), "GIT_ERROR", true);
    }

    @Order(4)
    @Test
    void doesNotTreatFileNamesAsOptions() {
        phone.assertError("git_commit", commit("all of it", List.of("-A")), "GIT_ERROR", true);
        assertThat(status().path("is_clean").asBoolean(true)).isFalse();
    }

    @Order(5)
    @Test
    void isCleanAfterCommittingEverything() {
        var after = phone.ask("git_commit", commit("rest", List.of(".")), "git_status_response");
        assertThat(after.path("is_clean").asBoolean()).isTrue();
        assertThat(after.path("changes").size()).isZero();
    }

    private static Map<String, Object> commit(String message, List<String> files) {
        var payload = new HashMap<String, Object>();
        payload.put("session_id", session);
        payload.put("message", message);
        payload.put("files", files);
        return payload;
    }
}
