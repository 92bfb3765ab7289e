package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.model.ScriptedModelApi;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The real CLI in a folder of the host. */
@NeedsClaude
class ProjectClaudeTest {
    private ScriptedModelApi api;
    private AshServer server;
    private ProjectDir project;

    @BeforeEach
    void start() {
        var folder = TestFolder.create();
        project = ProjectDir.make(folder, "app", Map.of("CLAUDE.md", "Our fruit is the plum.\n"));
        api = ScriptedModelApi.start();
        var environment = ClaudeServer.environment(NeedsClaude.Condition.program(), api);
        environment.putAll(ProjectDir.settings(folder));
        server = AshServer.start(environment, folder);
        server.deploy("hello", Map.of("CLAUDE.md", "You are the gardener.\n"));
    }

    @AfterEach
    void stop() {
        server.close();
        api.close();
    }

    @Test
    void theModelKnowsTheFoldersInstructionsBesideTheAgentsAndRemembers() throws IOException {
        var session = project.session(server, "hello");

        session.ask(Script.bash("pwd > where") + "\nSAY:first pear");

        assertThat(project.path().resolve("where")).hasContent(project.path().toString());
        assertThat(project.owns("where")).isTrue();
        assertThat(api.awaitTurn("SAY:first pear").everything())
                .contains("Our fruit is the plum", "You are the gardener");
        session.post("stop").expect(200);
        session.post("resume").expect(200);
        assertThat(Frame.said(session.ask("SAY:second pear"))).isEqualTo("second pear");
        assertThat(api.awaitTurn("SAY:second pear").everything()).contains("first pear");
    }
}
