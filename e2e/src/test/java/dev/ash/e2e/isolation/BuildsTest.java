package dev.ash.e2e.isolation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Builds and tests real projects inside a sandbox without network: the system call filter must not
 * break them. {@code -Dash.builds=all} adds builds that copy a toolchain into the sandbox.
 */
class BuildsTest {
    /** The artifacts that {@code mvn package} reads from the local repository. */
    private static final List<String> MAVEN_ARTIFACTS =
            List.of(
                    "com/github/luben",
                    "com/thoughtworks",
                    "commons-codec",
                    "commons-io",
                    "javax/inject",
                    "org/apache/apache",
                    "org/apache/commons",
                    "org/apache/maven",
                    "org/apiguardian",
                    "org/codehaus/plexus",
                    "org/iq80",
                    "org/jspecify",
                    "org/junit",
                    "org/opentest4j",
                    "org/ow2",
                    "org/slf4j",
                    "org/sonatype",
                    "org/tukaani");

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo().agent("builder", Map.of("CLAUDE.md", "You build.\n"));

    private static TestSession session() {
        var limits = Map.of("cpuPercent", 200, "diskMb", 4096);
        return ash.session(Map.of("agent", "builder", "network", "closed", "limits", limits));
    }

    @ParameterizedTest
    @CsvSource({"git, git", "java, javac", "python, python3", "node, npm", "c, gcc"})
    void succeeds(String build, String tool) throws IOException {
        require(Files.isExecutable(Path.of("/usr/bin", tool)), tool + " in /usr/bin");

        build(session(), build);
    }

    @Test
    @EnabledIfSystemProperty(named = "ash.builds", matches = "all")
    void succeedsWithMaven() throws Exception {
        var maven = output("sh", "-c", "readlink -f \"$(command -v mvn)\"");
        require(!maven.isEmpty(), "mvn");
        var home = Path.of(System.getProperty("user.home"), ".m2/repository");
        var repository = Path.of(System.getProperty("localRepository", home.toString()));
        var session = session();
        copy(Path.of(maven).getParent().getParent(), session, "maven");
        for (var artifact : MAVEN_ARTIFACTS) {
            copy(repository.resolve(artifact), session, "repository/" + artifact);
        }

        build(session, "maven");
    }

    @Test
    @EnabledIfSystemProperty(named = "ash.builds", matches = "all")
    void succeedsWithCargo() throws Exception {
        var toolchain = output("sh", "-c", "rustc --print sysroot");
        require(!toolchain.isEmpty(), "rustc");
        var session = session();
        copy(Path.of(toolchain, "bin"), session, "toolchain/bin");
        copy(Path.of(toolchain, "lib"), session, "toolchain/lib");

        build(session, "cargo");
    }

    @Test
    @EnabledIfSystemProperty(named = "ash.builds", matches = "all")
    void succeedsWithGo() throws Exception {
        var toolchain = output("sh", "-c", "go env GOROOT");
        // The CI machines do not have Go.
        assumeTrue(!toolchain.isEmpty(), "skipped: go is not installed");
        var session = session();
        copy(Path.of(toolchain), session, "toolchain");

        build(session, "go");
    }

    @Test
    @EnabledIfSystemProperty(named = "ash.builds", matches = "all")
    void succeedsWithPip() throws IOException {
        var session = session();
        var ensurepip = session.exec("python3 -c 'import ensurepip'").path("exitCode").asInt();
        require(ensurepip == 0, "python3 with ensurepip (python3-venv on Debian)");

        build(session, "python", "export VENV_OPTIONS=\n");
    }

    private static void build(TestSession session, String name) throws IOException {
        build(session, name, "");
    }

    private static void build(TestSession session, String name, String setup) throws IOException {
        String script;
        try (var in = BuildsTest.class.getResourceAsStream("/builds/" + name + ".sh")) {
            script = new String(in.readAllBytes(), UTF_8);
        }
        var request = Map.of("command", setup + script, "timeout", 300_000);
        var result = ash.api().post(session.path() + "/exec", request).expect(200).json();

        assertThat(result.path("exitCode").asInt()).as(name + ": " + result).isZero();
    }

    /** Copies into the workspace, readable and writable for the sandbox's user. */
    private static void copy(Path source, TestSession session, String target) throws Exception {
        require(Files.exists(source), source.toString());
        var copy = session.sandbox().resolve("workspace").resolve(target);
        Files.createDirectories(copy.getParent());
        var command = "cp -rL \"$0\" \"$1\" && chmod -R a+rwX \"$1\"";
        var process =
                new ProcessBuilder("sh", "-c", command, source.toString(), copy.toString())
                        .inheritIO()
                        .start();
        assertThat(process.waitFor()).isZero();
    }

    private static String output(String... command) throws IOException {
        var process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new String(process.getInputStream().readAllBytes(), UTF_8).strip();
    }

    private static void require(boolean present, String what) {
        if (!present && "true".equals(System.getenv("CI"))) {
            fail("CI=true requires " + what + " for this test; install it");
        }
        assumeTrue(present, "skipped: this test requires " + what);
    }
}
