package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests the access of a device to the directory of a terminal session. */
class TerminalDirectoryTest {
    private static final String SESSION = UUID.randomUUID().toString();

    @RegisterExtension final AshExtension ash = AshExtension.demo().gateway().projectRoots();

    private SampleRepository project;
    private Path roots;

    @BeforeEach
    void start() {
        roots = ash.projects();
        project = SampleRepository.make(roots.resolve("app"));
    }

    /** Reports the start of a terminal session in this directory. */
    private void begin(Path directory) throws Exception {
        report(SESSION, directory);
    }

    private void report(String session, Path directory) throws Exception {
        var body =
                "{\"session_id\":\"%s\",\"cwd\":\"%s\",\"hook_event_name\":\"SessionStart\"}"
                        .formatted(session, directory);
        var token = Files.readString(ash.data().resolve("hook-token")).strip();
        ash.api()
                .exchange(
                        "POST",
                        "/hooks/event",
                        body,
                        request -> request.setHeader("Authorization", "Bearer " + token))
                .expect(200);
    }

    private static JsonNode ask(DeviceClient phone, String type, Map<String, ?> more) {
        var payload = new HashMap<String, Object>(more);
        payload.put("session_id", SESSION);
        return phone.request(type, payload);
    }

    @Test
    void servesGitAndFilesOfTheDirectory() throws Exception {
        begin(project.path());
        try (var phone = DeviceClient.enter(ash.pair())) {
            var ready = ask(phone, "session_start", Map.of("agent", "claude-code", "resume", true));
            assertThat(ready.at("/payload/branch").asString()).isEqualTo("main");
            assertThat(ready.at("/payload/working_directory").asString())
                    .isEqualTo(project.path().toString());

            var status = ask(phone, "git_status_request", Map.of()).path("payload");
            assertThat(status.path("ahead").asInt()).isEqualTo(2);
            assertThat(status.path("changes").toString()).contains("untracked.txt", "renamed");
            var read = ask(phone, "file_read", Map.of("path", "notes.txt")).path("payload");
            assertThat(read.path("content").asString()).startsWith("one\ntwo");
            assertThat(
                            ask(phone, "file_read", Map.of("path", "out"))
                                    .at("/payload/code")
                                    .asString())
                    .as("a link that leaves the directory")
                    .isEqualTo("BRIDGE_ERROR");

            var commit = Map.of("message", "from the phone", "files", List.of("untracked.txt"));
            var after = ask(phone, "git_commit", commit);
            assertThat(after.path("type").asString())
                    .as("%s", after)
                    .isEqualTo("git_status_response");
            assertThat(project.git("log", "-1", "--format=%s")).isEqualTo("from the phone\n");
        }
    }

    @Test
    void acceptsTheTerminalsSessionIdAndKeepsTheSessionReadOnly() throws Exception {
        report("sess-abc123", project.path());
        try (var phone = DeviceClient.enter(ash.pair())) {
            var ready =
                    phone.request(
                                    "session_start",
                                    Map.of("session_id", "sess-abc123", "resume", true))
                            .path("payload");
            assertThat(ready.path("status").asString()).isEqualTo("read_only");
            var id = ready.path("session_id").asString();
            assertThat(UUID.fromString(id)).isNotNull();
            for (var name : List.of("sess-abc123", id)) {
                var about = Map.of("session_id", name, "path", "notes.txt");
                assertThat(phone.request("file_read", about).at("/payload/session_id").asString())
                        .isEqualTo(id);
                assertThat(phone.request("git_status_request", about).path("type").asString())
                        .isEqualTo("git_status_response");
                var message = Map.of("session_id", name, "content", "hello", "role", "user");
                assertThat(phone.request("message", message).at("/payload/message").asString())
                        .contains("terminal");
            }
            var unknown = Map.of("session_id", "sess-other", "path", ".");
            assertThat(phone.request("file_list", unknown).at("/payload/code").asString())
                    .isEqualTo("SESSION_NOT_FOUND");
        }
        try (var client = DeviceClient.connect(ash.pair())) {
            var open = client.auth(ash.pair().token()).path("active_sessions");
            assertThat(open.valueStream())
                    .singleElement()
                    .satisfies(each -> assertThat(each.path("read_only").asBoolean()).isTrue());
        }
    }

    @Test
    void confinesProgramsOfTheRepositoryToTheDirectory() throws Exception {
        var outside = Files.createDirectory(roots.resolve("outside"));
        Files.setPosixFilePermissions(outside, PosixFilePermissions.fromString("rwxrwxrwx"));
        var trap = "touch " + outside.resolve("trapped") + " " + project.path().resolve("ran");
        project.git("config", "filter.trap.clean", trap + "; cat");
        project.write(".gitattributes", "*.txt filter=trap\n");
        var hook = project.path().resolve(".git/hooks/pre-commit");
        Files.writeString(hook, "#!/bin/sh\ntouch " + project.path().resolve("hooked") + "\n");
        Files.setPosixFilePermissions(hook, PosixFilePermissions.fromString("rwxr-xr-x"));
        begin(project.path());
        try (var phone = DeviceClient.enter(ash.pair())) {
            var commit = Map.of("message", "x", "files", List.of("notes.txt"));
            assertThat(ask(phone, "git_commit", commit).path("type").asString())
                    .isEqualTo("git_status_response");
        }
        assertThat(project.path().resolve("ran")).as("the trap works").exists();
        assertThat(names(outside)).isEmpty();
        assertThat(project.path().resolve("hooked")).doesNotExist();
    }

    private static List<String> names(Path directory) throws IOException {
        return Arrays.asList(directory.toFile().list());
    }

    @Test
    void rejectsADirectoryOutsideTheProjectRoots() throws Exception {
        begin(Path.of("/etc"));
        try (var phone = DeviceClient.enter(ash.pair())) {
            for (var type : List.of("git_status_request", "file_list")) {
                var refused = ask(phone, type, Map.of("path", ".")).path("payload");
                assertThat(refused.path("code").asString()).isEqualTo("BRIDGE_ERROR");
                assertThat(refused.path("message").asString()).contains("ASH_PROJECT_ROOTS");
            }
        }
    }
}
