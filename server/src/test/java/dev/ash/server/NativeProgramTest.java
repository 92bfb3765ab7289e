package dev.ash.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.EngineProfiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NativeProgramTest {
    private static final Program CODEX = EngineProfiles.CODEX.program().orElseThrow();

    @TempDir private Path directory;

    private Path program(String path) throws IOException {
        var program = directory.resolve(path);
        Files.createDirectories(program.getParent());
        Files.writeString(program, "x");
        return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
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

        var claude = EngineProfiles.CLAUDE.program().orElseThrow();
        assertThat(NativeProgram.resolve(alone, claude))
                .as("this program has no npm launcher")
                .isEqualTo(alone);
    }
}
