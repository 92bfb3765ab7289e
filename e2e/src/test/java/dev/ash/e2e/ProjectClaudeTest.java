package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the real CLI in a project directory of the host. */
@NeedsClaude
class ProjectClaudeTest {
    @RegisterExtension
    final AshExtension ash =
            AshExtension.claude()
                    .with("ASH_PROJECT_ROOTS", ProjectDir::roots)
                    .agent("hello", Map.of("CLAUDE.md", "You are the gardener.\n"));

    @Test
    void sendsProjectAndAgentInstructionsAndKeepsConversation() throws IOException {
        var files = Map.of("CLAUDE.md", "Our fruit is the plum.\n");
        var project = ProjectDir.create(ash.directory(), "app", files);
        var session = project.session(ash.server(), "hello");

        session.ask(Script.bash("pwd > where") + "\nSAY:first pear");

        assertThat(project.path().resolve("where")).hasContent(project.path().toString());
        assertThat(project.hasProjectOwner("where")).isTrue();
        assertThat(ash.model().awaitTurn("SAY:first pear").everything())
                .contains("Our fruit is the plum", "You are the gardener");
        session.post("stop").expect(200);
        session.post("resume").expect(200);
        assertThat(Frame.said(session.ask("SAY:second pear"))).isEqualTo("second pear");
        assertThat(ash.model().awaitTurn("SAY:second pear").everything()).contains("first pear");
    }
}
