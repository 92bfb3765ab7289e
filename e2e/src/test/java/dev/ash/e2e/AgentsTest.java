package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Deploys, changes, reads and deletes agents. */
class AgentsTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with(
                            "ASH_AGENT_ROOTS",
                            directory -> directory.path().resolve("agents").toString());

    @Test
    void deploysFromDirectoryFilesOrPrompt() {
        var directory =
                ash.directory()
                        .write(
                                "agents/by-path",
                                Map.of("CLAUDE.md", "From a directory.\n", "x/y.txt", "z"));
        var api = ash.api();

        api.post("/api/agents", Map.of("name", "by-path", "path", directory.toString()))
                .expect(201);
        ash.deploy("by-files", Map.of("CLAUDE.md", "From files.\n"));
        api.post("/api/agents", Map.of("name", "by-prompt", "systemPrompt", "From a prompt."))
                .expect(201);

        assertThat(prompt("by-path")).isEqualTo("From a directory.\n");
        assertThat(prompt("by-files")).isEqualTo("From files.\n");
        assertThat(prompt("by-prompt")).contains("From a prompt.");
        assertThat(ash.session("by-path").exec("cat x/y.txt").path("stdout").asString())
                .isEqualTo("z");
        assertThat(
                        api.get("/api/agents")
                                .expect(200)
                                .at("/agents")
                                .valueStream()
                                .map(agent -> agent.path("name").asString())
                                .filter(name -> name.startsWith("by-")))
                .containsExactly("by-files", "by-path", "by-prompt");
    }

    @Test
    void redeployIncrementsVersionAndKeepsId() {
        var first = ash.deploy("again", Map.of("CLAUDE.md", "one\n"));
        var running = ash.session("again");

        var second = ash.deploy("again", Map.of("CLAUDE.md", "two\n"));

        assertThat(first.path("version").asInt()).isEqualTo(1);
        assertThat(second.path("version").asInt()).isEqualTo(2);
        assertThat(second.path("id")).isEqualTo(first.path("id"));
        assertThat(second.path("createdAt")).isEqualTo(first.path("createdAt"));
        assertThat(second.path("updatedAt").asString())
                .isGreaterThanOrEqualTo(first.path("updatedAt").asString());
        assertThat(running.exec("cat CLAUDE.md").path("stdout").asString()).isEqualTo("one\n");
        var fresh = ash.session("again");
        assertThat(fresh.exec("cat CLAUDE.md").path("stdout").asString()).isEqualTo("two\n");
        assertThat(fresh.created().path("agentVersion").asInt()).isEqualTo(2);
    }

    @Test
    void ignoresLaterChangesToSourceDirectory() {
        var directory = ash.directory().write("agents/frozen", Map.of("CLAUDE.md", "before\n"));
        ash.api()
                .post("/api/agents", Map.of("name", "frozen", "path", directory.toString()))
                .expect(201);

        ash.directory().write("agents/frozen", Map.of("CLAUDE.md", "after\n"));

        assertThat(ash.session("frozen").exec("cat CLAUDE.md").path("stdout").asString())
                .isEqualTo("before\n");
    }

    @Test
    void masksEnvironmentValues() {
        ash.api()
                .post(
                        "/api/agents",
                        Map.of(
                                "name", "secretive",
                                "systemPrompt", "x",
                                "env", Map.of("TOKEN", "hunter2")))
                .expect(201);

        var shown = ash.api().get("/api/agents/secretive").expect(200);

        assertThat(shown.at("/agent/env/TOKEN").asString()).isEqualTo("***");
        assertThat(ash.api().get("/api/agents").text()).doesNotContain("hunter2");
        assertThat(ash.session("secretive").exec("echo $TOKEN").path("stdout").asString())
                .isEqualTo("hunter2\n");
        ash.api().patch("/api/agents/secretive", Map.of("env", Map.of())).expect(200);
        assertThat(ash.session("secretive").exec("echo [$TOKEN]").path("stdout").asString())
                .isEqualTo("[]\n");
    }

    @Test
    void mergesConfigurationOneLevelDeep() {
        ash.deploy("configured");
        var path = "/api/agents/configured/config";

        ash.api().patch(path, Map.of("model", "a", "limits", Map.of("memoryMb", 1))).expect(200);
        ash.api().patch(path, Map.of("model", "b")).expect(200);

        assertThat(ash.api().get(path).expect(200).at("/config/model").asString()).isEqualTo("b");
        assertThat(ash.api().get(path).at("/config/limits/memoryMb").asInt()).isEqualTo(1);
    }

    @Test
    void readsWritesAndDeletesFiles() {
        ash.deploy("filed", Map.of("CLAUDE.md", "x\n", "node_modules/m/i.js", "1"));
        var files = "/api/agents/filed/files";
        var api = ash.api();

        assertThat(
                        api.post(
                                        files,
                                        Map.of(
                                                "files",
                                                List.of(
                                                        Map.of(
                                                                "path",
                                                                ".claude/skills/a/SKILL.md",
                                                                "content",
                                                                AshServer.base64("skill")))))
                                .expect(200)
                                .at("/written")
                                .asInt())
                .isEqualTo(1);

        assertThat(
                        api.get(files)
                                .expect(200)
                                .at("/files")
                                .valueStream()
                                .map(f -> f.path("path").asString()))
                .contains("CLAUDE.md", ".claude/skills/a/SKILL.md")
                .doesNotContain("node_modules/m/i.js");
        assertThat(
                        api.get(files + "/.claude/skills/a/SKILL.md")
                                .expect(200)
                                .at("/content")
                                .asString())
                .isEqualTo("skill");
        assertThat(api.get(files + "/CLAUDE.md?format=raw").expect(200).text()).isEqualTo("x\n");
        assertThat(
                        ash.session("filed")
                                .exec("cat .claude/skills/a/SKILL.md")
                                .path("stdout")
                                .asString())
                .isEqualTo("skill");
        api.delete(files + "/.claude/skills/a/SKILL.md").expect(200);
        api.get(files + "/.claude/skills/a/SKILL.md").refused(404, "FILE_NOT_FOUND");
        api.get(files + "/..%2f..%2fash.db").expect(400);
        api.delete(files + "/CLAUDE.md").refused(400, "VALIDATION_FAILED", "CLAUDE.md");
    }

    @Test
    void deletedAgentNameCanBeReused() {
        ash.deploy("gone");
        var session = ash.session("gone");

        assertThat(ash.api().delete("/api/agents/gone").expect(200).at("/ok").asBoolean()).isTrue();

        ash.api().get("/api/agents/gone").refused(404, "AGENT_NOT_FOUND");
        ash.api()
                .post("/api/sessions", Map.of("agent", "gone"))
                .refused(404, "AGENT_NOT_FOUND", "gone");
        session.end();
        ash.deploy("gone");
        assertThat(Frame.names(ash.session("gone").ask("hello"))).contains("message");
    }

    private static String prompt(String agent) {
        return ash.api()
                .get("/api/agents/" + agent + "/files/CLAUDE.md")
                .expect(200)
                .at("/content")
                .asString();
    }
}
