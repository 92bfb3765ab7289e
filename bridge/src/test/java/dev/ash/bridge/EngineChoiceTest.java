package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.bridge.engine.EngineException;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.engine.ModelProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineChoiceTest {
    @TempDir private Path directory;

    @Test
    void sessionOverridesEnvironment() {
        assertThat(EngineChoice.name("demo", Map.of("ASH_ENGINE", "claude"))).isEqualTo("demo");
        assertThat(EngineChoice.name(null, Map.of("ASH_ENGINE", "claude"))).isEqualTo("claude");
        assertThat(EngineChoice.name("claude-code", Map.of())).isEqualTo("claude");
    }

    @Test
    void autoSelectsClaudeIfProgramAndCredentialExist() throws IOException {
        var program = Files.createFile(directory.resolve("claude"));
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        var path = "::/nowhere:" + directory;

        assertThat(EngineChoice.name(null, Map.of("PATH", path, "ANTHROPIC_API_KEY", "k")))
                .isEqualTo("claude");
        assertThat(
                        EngineChoice.name(
                                "auto",
                                Map.of(
                                        "CLAUDE_CODE_EXECUTABLE",
                                        program.toString(),
                                        "CLAUDE_CODE_OAUTH_TOKEN",
                                        "t",
                                        "ASH_ENGINE",
                                        "demo")))
                .isEqualTo("claude");
        assertThat(EngineChoice.name(null, Map.of("PATH", path))).isEqualTo("demo");
        assertThat(EngineChoice.name(null, Map.of("PATH", path, "ANTHROPIC_API_KEY", "")))
                .isEqualTo("demo");
        assertThat(EngineChoice.name(null, Map.of("PATH", "/nowhere", "ANTHROPIC_AUTH_TOKEN", "t")))
                .isEqualTo("demo");
    }

    @Test
    void hasDriverForEveryProfile() throws EngineException {
        for (var profile : EngineTable.builtIn().all()) {
            assertThat(EngineChoice.engine(profile.name().value(), Map.of()).profile())
                    .isEqualTo(profile);
        }
        assertThatThrownBy(() -> EngineChoice.engine("gardener", Map.of()))
                .hasMessageStartingWith("unknown engine 'gardener'; expected claude, codex,");
    }

    @Test
    void selectsConfiguredEngine() throws EngineException {
        var environment =
                Map.of(
                        "ASH_ENGINES",
                        "{\"mine\":{\"driver\":\"acp\",\"command\":\"/bin/mine\",\"provider\":\"openai\",\"aliases\":[\"my-own\"]}}");

        assertThat(EngineChoice.name("my-own", environment)).isEqualTo("mine");
        assertThat(EngineChoice.engine("mine", environment).profile().provider())
                .isEqualTo(ModelProvider.OPENAI);
        assertThat(EngineChoice.name(null, environment)).isEqualTo("demo");
    }

    @Test
    void reportsInvalidConfiguration() {
        var environment = Map.of("ASH_ENGINES", "{\"mine\":{\"drive\":\"acp\"}}");

        assertThat(EngineChoice.name("mine", environment)).isEqualTo("mine");
        assertThatThrownBy(() -> EngineChoice.engine("mine", environment))
                .hasMessageContaining("ASH_ENGINES is invalid")
                .hasMessageContaining("engines.mine.drive");
    }
}
