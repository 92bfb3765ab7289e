package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The package dependency graph of document 001, read from the build files. */
class ArchitectureGraphTest {
    private static final String NAMES = "docs/adr/0037-the-documents-packages-are-maven-modules.md";
    private static final String RUNNERS = "docs/differences.md#coordinator-mode-and-runners";

    @Test
    @Statement(
            id = "001-03",
            says = "ash-server is a Fastify server",
            verdict = Verdict.DIFFERS,
            instead = "it is a Java program on Jetty",
            see = NAMES + "#decision")
    void buildsTheServerOnJetty() throws Exception {
        assertThat(ArchitecturePom.of("server").dependencies()).contains("jetty-server");
        assertThat(Path.of("../package.json")).doesNotExist();
    }

    @Test
    @Statement(
            id = "001-19",
            says = "ash-shared has zero dependencies",
            verdict = Verdict.DIFFERS,
            instead = "`protocol` depends only on jackson-core, the streaming JSON parser",
            see = "docs/ARCHITECTURE.md#programs")
    void givesTheProtocolOnlyAJsonParser() throws Exception {
        assertThat(ArchitecturePom.of("protocol").dependencies()).containsExactly("jackson-core");
    }

    @Test
    @Statement(id = "001-20", says = "Every other package imports from ash-shared")
    void dependsOnTheProtocolInEveryModule() throws Exception {
        for (var module :
                List.of("sandbox", "pair", "bridge", "server", "sdk", "cli", "examples/qa-bot")) {
            assertThat(ArchitecturePom.of(module).modules()).as(module).contains("ash-protocol");
        }
    }

    @Test
    @Statement(id = "001-30", says = "ash-sandbox is used by the server")
    void usesTheSandboxLibraryInTheServer() throws Exception {
        assertThat(ArchitecturePom.of("server").modules()).contains("ash-sandbox");
    }

    @Test
    @Statement(
            id = "001-31",
            says = "ash-sandbox is used by the runner",
            verdict = Verdict.NOT_YET,
            instead = "there is no runner program yet",
            see = RUNNERS)
    void usesTheSandboxLibraryInNoOtherProgram() throws Exception {
        for (var module : List.of("bridge", "sdk", "cli", "examples/qa-bot")) {
            assertThat(ArchitecturePom.of(module).modules()).doesNotContain("ash-sandbox");
        }
    }

    @Test
    @Statement(id = "001-72", says = "ash-cli wraps the SDK")
    void buildsTheCliOnTheSdk() throws Exception {
        assertThat(ArchitecturePom.of("cli").modules()).contains("ash-sdk");
    }

    @Test
    @Statement(id = "001-169", says = "sandbox --> shared")
    void letsSandboxUseOnlyProtocol() throws Exception {
        assertThat(ArchitecturePom.of("sandbox").modules()).containsExactly("ash-protocol");
    }

    @Test
    @Statement(id = "001-170", says = "bridge --> shared")
    void letsBridgeUseOnlyProtocol() throws Exception {
        assertThat(ArchitecturePom.of("bridge").modules()).containsExactly("ash-protocol");
    }

    @Test
    @Statement(id = "001-171", says = "server --> shared")
    void letsServerUseProtocol() throws Exception {
        assertThat(ArchitecturePom.of("server").modules()).contains("ash-protocol");
    }

    @Test
    @Statement(
            id = "001-172",
            says = "server --> sandbox, and to no other package",
            verdict = Verdict.DIFFERS,
            instead = "it also uses `pair`, which document 001 does not have",
            see = "docs/ARCHITECTURE.md#programs")
    void letsServerUseSandboxAndPair() throws Exception {
        assertThat(ArchitecturePom.of("server").modules())
                .containsExactlyInAnyOrder("ash-protocol", "ash-sandbox", "ash-pair");
    }

    @Test
    @Statement(
            id = "001-173",
            says = "runner --> shared",
            verdict = Verdict.NOT_YET,
            instead = "there is no module `runner`",
            see = RUNNERS)
    void hasNoRunnerModule() throws Exception {
        assertThat(ArchitecturePom.of(".").built()).doesNotContain("runner");
        assertThat(Path.of("../runner")).doesNotExist();
    }

    @Test
    @Statement(
            id = "001-174",
            says = "runner --> sandbox",
            verdict = Verdict.NOT_YET,
            instead = "the distribution contains no runner program",
            see = RUNNERS)
    void distributesNoRunner() {
        assertThat(dev.ash.e2e.Programs.dist()).isDirectory();
        assertThat(dev.ash.e2e.Programs.dist().resolve("runner")).doesNotExist();
    }

    @Test
    @Statement(id = "001-175", says = "sdk --> shared")
    void letsSdkUseOnlyProtocol() throws Exception {
        assertThat(ArchitecturePom.of("sdk").modules()).containsExactly("ash-protocol");
    }

    @Test
    @Statement(
            id = "001-176",
            says = "cli --> shared, and to no other package",
            verdict = Verdict.DIFFERS,
            instead = "it also uses `sdk`, which it wraps, and `pair`",
            see = "docs/ARCHITECTURE.md#programs")
    void letsCliUseProtocolSdkAndPair() throws Exception {
        assertThat(ArchitecturePom.of("cli").modules())
                .containsExactlyInAnyOrder("ash-protocol", "ash-sdk", "ash-pair");
    }

    @Test
    @Statement(id = "001-177", says = "qa-bot --> sdk")
    void letsTheExampleUseTheSdk() throws Exception {
        assertThat(ArchitecturePom.of("examples/qa-bot").modules()).contains("ash-sdk");
    }

    @Test
    @Statement(id = "001-178", says = "qa-bot --> shared")
    void letsTheExampleUseOnlySdkAndProtocol() throws Exception {
        assertThat(ArchitecturePom.of("examples/qa-bot").modules())
                .containsExactlyInAnyOrder("ash-protocol", "ash-sdk");
    }

    @Test
    @Statement(
            id = "001-179",
            says = "Build order: shared first, then sandbox, then everything else")
    void buildsProtocolFirstAndSandboxSecond() throws Exception {
        assertThat(ArchitecturePom.of(".").built()).startsWith("protocol", "sandbox");
    }
}
