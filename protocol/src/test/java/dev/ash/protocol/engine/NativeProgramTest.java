package dev.ash.protocol.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.engine.EngineProfile.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeProgramTest {
    private static final Program CODEX = program(EngineProfiles.CODEX);

    @TempDir private Path directory;

    private Path program(String path) throws IOException {
        var program = directory.resolve(path);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "x");
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void findsNativeProgramsOfAllEngines() throws IOException {
        var goose = program("node_modules/@aaif/goose/dist/cli.js");
        var nativeGoose = program("node_modules/@aaif/goose-binary-linux-x64/bin/goose");
        var opencode = program("node_modules/opencode-ai/bin/opencode");
        program("node_modules/opencode-linux-x64-musl/bin/opencode");
        var nativeOpencode = program("node_modules/opencode-linux-x64/bin/opencode");
        var claude = program("node_modules/@anthropic-ai/claude-code/bin/claude.exe");
        var nativeClaude = program("node_modules/@anthropic-ai/claude-code-linux-x64/claude");

        assertThat(NativeProgram.resolve(goose, program(EngineProfiles.GOOSE)))
                .isEqualTo(nativeGoose.toRealPath());
        assertThat(NativeProgram.resolve(opencode, program(EngineProfiles.OPENCODE)))
                .isEqualTo(nativeOpencode.toRealPath());
        assertThat(NativeProgram.resolve(claude, program(EngineProfiles.CLAUDE)))
                .isEqualTo(nativeClaude.toRealPath());
    }

    private static Program program(EngineProfile engine) {
        return engine.program().orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "node_modules/@openai/codex-linux-x64/vendor/some-triple/bin/codex",
                "node_modules/@openai/codex/node_modules/@openai/codex-linux-x64/vendor/t/bin/codex"
            })
    void findsNativeProgramOfNpmLauncher(String path) throws IOException {
        var script = program("node_modules/@openai/codex/bin/codex.js");
        Files.createDirectories(directory.resolve("bin"));
        var link = Files.createSymbolicLink(directory.resolve("bin/codex"), script);
        var program = program(path);

        assertThat(NativeProgram.resolve(link, CODEX)).isEqualTo(program.toRealPath());
    }

    @Test
    void returnsOtherProgramsUnchanged() throws IOException {
        var program = program("usr/bin/codex");
        assertThat(NativeProgram.resolve(program, CODEX)).isEqualTo(program);

        var alone = program("node_modules/@openai/codex/bin/codex.js");
        assertThat(NativeProgram.resolve(alone, CODEX)).isEqualTo(alone);

        assertThat(NativeProgram.resolve(alone, program(EngineProfiles.GEMINI)))
                .as("this program has no native program")
                .isEqualTo(alone);
    }
}
