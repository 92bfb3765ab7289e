package dev.ash.sandbox.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bridges, engines and Java below the data directory. */
class SharedProgramsTest {
    private static final Program PROFILE =
            Program.npm("engine", "ENGINE", "engine", "", "/opt/engine", Optional.empty());

    private final Spawner spawner = new Spawner();
    @TempDir private Path directory;
    private DataLayout layout;

    @BeforeEach
    void makeLayout() throws IOException {
        layout = DataLayout.create(directory.resolve("data"));
    }

    @AfterEach
    void close() {
        spawner.close();
    }

    private Path program(String path, String text, String mode) throws IOException {
        var file = directory.resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void usesEngineBelowUsrInPlace() throws IOException {
        var engine = EngineProgram.prepare(Path.of("/usr/bin/env"), PROFILE, layout, spawner);

        assertThat(engine.inside()).isEqualTo(Path.of("/usr/bin/env").toRealPath());
        assertThat(engine.mounts()).isEmpty();
    }

    @Test
    void linksNativeEngineUnderItsName() throws IOException {
        var real = program("lib/claude.exe", "\177ELF", "rwxr-xr-x");
        var link = Files.createSymbolicLink(directory.resolve("claude"), real);

        var engine = EngineProgram.prepare(link, PROFILE, layout, spawner);

        assertThat(engine.inside()).isEqualTo(Path.of("/opt/engine/claude"));
        assertThat(engine.host()).isExecutable().hasContent("\177ELF").startsWith(layout.engines());
        assertThat(Files.getAttribute(engine.host(), "unix:ino"))
                .isEqualTo(Files.getAttribute(real, "unix:ino"));
        assertThat(EngineProgram.prepare(link, PROFILE, layout, spawner)).isEqualTo(engine);
    }

    @Test
    void copiesUnreadableEngineWithReadPermission() throws IOException {
        var real = program("claude", "\177ELF", "rwx------");

        var engine = EngineProgram.prepare(real, PROFILE, layout, spawner);

        assertThat(mode(engine.host())).isEqualTo("rwxr-xr-x");
        assertThat(mode(real)).isEqualTo("rwx------");
    }

    @Test
    void includesPackageOfScript() throws IOException {
        program("node_modules/@x/claude/package.json", "{}", "rw-r--r--");
        program("node_modules/@x/claude/vendor/data", "data", "rw-rw-rw-");
        var script =
                program("node_modules/@x/claude/bin/cli.js", "#!/usr/bin/env node", "rwxr-xr-x");

        var engine = EngineProgram.prepare(script, PROFILE, layout, spawner);

        assertThat(engine.inside()).isEqualTo(Path.of("/opt/engine/bin/cli.js"));
        var copied = engine.mounts().getFirst().source();
        assertThat(copied.resolve("vendor/data")).hasContent("data");
        assertThat(mode(copied.resolve("vendor/data"))).isEqualTo("rw-r--r--");
    }

    /** Node searches the packages that a script uses in a directory of this name. */
    @Test
    void includesAllPackagesThatNpmInstalledWithScript() throws IOException {
        program("app/node_modules/.package-lock.json", "{}", "rw-r--r--");
        program("app/node_modules/.bin/agent", "not needed", "rwxr-xr-x");
        program("app/node_modules/library/index.js", "library", "rw-r--r--");
        program("app/node_modules/@x/agent/package.json", "{}", "rw-r--r--");
        program("app/secret", "not in a package", "rw-r--r--");
        var script =
                program("app/node_modules/@x/agent/cli.js", "#!/usr/bin/env node", "rwxr-xr-x");

        var engine = EngineProgram.prepare(script, PROFILE, layout, spawner);

        assertThat(engine.inside())
                .isEqualTo(Path.of("/opt/engine/node_modules/@x/agent/cli.js"));
        var copied = engine.mounts().getFirst().source();
        assertThat(engine.host()).isExecutable().startsWith(copied);
        assertThat(copied.resolve("node_modules/library/index.js")).hasContent("library");
        assertThat(copied.resolve("node_modules/.bin")).doesNotExist();
        assertThat(copied.resolve("secret")).doesNotExist();
    }

    @Test
    void rejectsNonExecutableEngine() throws IOException {
        var text = program("claude", "text", "rw-r--r--");

        assertThatThrownBy(() -> EngineProgram.prepare(text, PROFILE, layout, spawner))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("is not executable");
    }

    @Test
    void mountsFilesOfCommandUnderTheirNames() throws IOException {
        var script = program("a/bridge.py", "one", "rw-------");
        var other = program("b/bridge.py", "two", "rw-r--r--");
        program("lib/module.py", "three", "rw-r--r--");
        var library = directory.resolve("lib");

        var bridge =
                CommandBridge.prepare(
                        List.of(
                                "python3",
                                script.toString(),
                                "--mode",
                                "/usr/bin/env",
                                other.toString(),
                                library.toString(),
                                "/no/such/file"),
                        layout,
                        spawner);

        assertThat(bridge.confined())
                .containsExactly(
                        "python3",
                        "/opt/ash/bridge.py",
                        "--mode",
                        "/usr/bin/env",
                        "/opt/ash/1-bridge.py",
                        "/opt/ash/lib",
                        "/no/such/file");
        assertThat(bridge.directory().resolve("bridge.py")).hasContent("one");
        assertThat(mode(bridge.directory().resolve("bridge.py"))).isEqualTo("rw-r--r--");
        assertThat(bridge.directory().resolve("1-bridge.py")).hasContent("two");
        assertThat(bridge.directory().resolve("lib/module.py")).hasContent("three");
        assertThat(bridge.unconfined().get(1)).isEqualTo(bridge.directory() + "/bridge.py");
    }

    @Test
    void copiesJarsOncePerContent() throws IOException {
        var jar = program("bridge.jar", "v1", "rw-r--r--");
        program("jdk/bin/java", "java", "rwxr-xr-x");
        var java = new JavaHome(directory.resolve("jdk"), Path.of("/opt/java"));
        var first = JavaBridge.prepare(List.of(jar), java, layout, spawner);
        Files.writeString(jar, "v2");
        var second = JavaBridge.prepare(List.of(jar), java, layout, spawner);

        assertThat(first.directory()).isNotEqualTo(second.directory());
        assertThat(first.directory().resolve("bridge.jar")).hasContent("v1");
        assertThat(first.confined())
                .startsWith("/opt/ash/java/bin/java")
                .endsWith("-cp", "/opt/ash/bridge.jar", "dev.ash.bridge.BridgeMain");
        assertThat(first.confined()).doesNotContain("-XX:AOTCache=/opt/ash/bridge.aot");
        Files.createFile(first.directory().resolve("bridge.aot"));
        assertThat(first.confined()).contains("-XX:AOTCache=/opt/ash/bridge.aot");
        var launcher = first.directory().resolve("java/bin/java");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(launcher)))
                .as("execute only, which makes the bridge not dumpable")
                .isEqualTo("--x--x--x");
        assertThat(Files.readSymbolicLink(first.directory().resolve("java/lib")))
                .isEqualTo(Path.of("/opt/java/lib"));
        assertThat(first.unconfined())
                .contains("-XX:AOTCache=" + first.directory().resolve("bridge.aot"));
    }

    @Test
    void mountsOrCopiesJava() throws IOException {
        var home = directory.resolve("jdk");
        program("jdk/bin/java", "java", "rwxr-xr-x");
        program("jdk/lib/modules", "modules", "rw-r--r--");
        program("jdk/lib/src.zip", "not needed", "rw-r--r--");
        program("jdk/jmods/java.base.jmod", "not needed", "rw-r--r--");
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwx------"));

        var mounted = JavaHome.prepare(home, layout, false, spawner);
        assertThat(mounted.mounts().getFirst().source()).isEqualTo(home.toRealPath());
        assertThat(mounted.inside()).isEqualTo(Path.of("/opt/java"));

        var copied = JavaHome.prepare(home, layout, true, spawner);
        assertThat(copied.host()).startsWith(layout.runtime());
        assertThat(copied.host().resolve("bin/java")).isExecutable().hasContent("java");
        assertThat(copied.host().resolve("lib")).isDirectoryNotContaining("glob:**src.zip");
        assertThat(copied.host()).isDirectoryNotContaining("glob:**jmods");
    }
}
