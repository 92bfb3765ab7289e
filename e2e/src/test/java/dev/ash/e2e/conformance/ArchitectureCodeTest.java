package dev.ash.e2e.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.ash.e2e.Programs;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Documents 000 and 001: the named components, types and functions. */
class ArchitectureCodeTest {
    private static final String NAMES = "docs/differences.md#names";

    private static JavaClasses code;

    @BeforeAll
    static void read() {
        code =
                new ClassFileImporter()
                        .withImportOption(location -> !location.contains("/dev/ash/e2e/"))
                        .importPackages("dev.ash");
    }

    @Test
    @Statement(
            id = "000-15",
            says = "encode is exported from the shared package",
            verdict = Verdict.DIFFERS,
            instead =
                    "`BridgeProtocol.encode` returns the line without its newline, which `JsonLinesWriter` adds",
            see = NAMES)
    void encodesInBridgeProtocol() throws Exception {
        var interrupt = Class.forName("dev.ash.protocol.bridge.BridgeCommand$Interrupt");
        var encode =
                Class.forName("dev.ash.protocol.bridge.BridgeProtocol")
                        .getMethod("encode", interrupt.getInterfaces()[0]);

        var line = encode.invoke(null, interrupt.getConstructors()[0].newInstance((Object) null));

        assertThat(line).hasToString("{\"cmd\":\"interrupt\"}");
    }

    @Test
    @Statement(
            id = "000-16",
            says = "decode is exported from the shared package",
            verdict = Verdict.DIFFERS,
            instead = "`BridgeProtocol.decodeCommand` and `decodeEvent`, one for each direction",
            see = NAMES)
    void decodesInBridgeProtocol() throws Exception {
        var raw = Class.forName("dev.ash.protocol.json.RawJson");
        var line = raw.getMethod("of", String.class).invoke(null, "{\"cmd\":\"shutdown\"}");
        var protocol = Class.forName("dev.ash.protocol.bridge.BridgeProtocol");

        var command = protocol.getMethod("decodeCommand", raw).invoke(null, line);

        assertThat(command).hasToString("Shutdown[]");
        assertThat(protocol.getMethod("decodeEvent", raw)).isNotNull();
    }

    @Test
    @Statement(id = "001-04", says = "The server contains a RunnerCoordinator")
    void hasARunnerCoordinator() {
        assertThat(usersOf(named("dev.ash.server.runner.RunnerCoordinator")))
                .anyMatch(name -> name.startsWith("dev.ash.server.session."));
    }

    @Test
    @Statement(id = "001-05", says = "The RunnerCoordinator only wraps a single LocalRunnerBackend")
    void wrapsOneLocalRunnerBackend() {
        var backend = named("dev.ash.server.runner.RunnerBackend");
        var implementations = backend.getAllSubclasses().stream().map(JavaClass::getName).toList();

        assertThat(implementations).containsExactly("dev.ash.server.runner.LocalRunnerBackend");
        assertThat(named("dev.ash.server.runner.RunnerCoordinator").getFields())
                .extracting(field -> field.getRawType().getName())
                .containsOnlyOnce(backend.getName());
    }

    @Test
    @Statement(id = "001-06", says = "LocalRunnerBackend --> SandboxPool")
    void usesThePoolInTheLocalBackend() {
        assertThat(named("dev.ash.server.runner.LocalRunnerBackend").getFields())
                .extracting(field -> field.getRawType().getName())
                .contains("dev.ash.sandbox.SandboxPool");
    }

    @Test
    @Statement(
            id = "001-07",
            says = "The server reaches the SandboxPool through the RunnerCoordinator")
    void usesThePoolOnlyInTheLocalBackend() {
        assertThat(usersOf(named("dev.ash.sandbox.SandboxPool")))
                .filteredOn(name -> name.startsWith("dev.ash.server."))
                .containsOnly("dev.ash.server.runner.LocalRunnerBackend");
    }

    @Test
    @Statement(id = "001-21", says = "ash-shared exports the type Agent")
    void exportsAgent() {
        assertPublic("dev.ash.protocol.rest.Agent", "name", "version", "path");
    }

    @Test
    @Statement(id = "001-22", says = "ash-shared exports the type Session")
    void exportsSession() {
        assertPublic("dev.ash.protocol.rest.Session", "id", "agentName", "sandboxId", "status");
    }

    @Test
    @Statement(id = "001-23", says = "ash-shared exports the type AshStreamEvent")
    void exportsAshStreamEvent() {
        var kinds = named("dev.ash.protocol.rest.AshStreamEvent").getAllSubclasses();

        assertThat(kinds)
                .extracting(JavaClass::getSimpleName)
                .contains("Message", "Failed", "Done");
    }

    @Test
    @Statement(id = "001-24", says = "ash-shared exports the type HealthResponse")
    void exportsHealthResponse() {
        assertPublic("dev.ash.protocol.rest.HealthResponse", "status", "activeSessions");
    }

    @Test
    @Statement(id = "001-25", says = "ash-shared exports constants: ports")
    void exportsThePort() throws Exception {
        assertThat(constant("dev.ash.protocol.Limits", "DEFAULT_PORT")).isEqualTo(4100);
    }

    @Test
    @Statement(id = "001-26", says = "ash-shared exports constants: timeouts")
    void exportsTheTimeouts() throws Exception {
        assertThat(constant("dev.ash.protocol.Limits", "READY_TIMEOUT"))
                .isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    @Statement(id = "001-28", says = "ash-shared exports constants: env allowlist")
    void exportsTheAllowlistOfTheEnvironment() throws Exception {
        assertThat(constant("dev.ash.protocol.SandboxEnvironment", "FROM_HOST"))
                .isEqualTo(
                        Set.of(
                                "PATH",
                                "NODE_PATH",
                                "HOME",
                                "LANG",
                                "TERM",
                                "ANTHROPIC_API_KEY",
                                "ASH_DEBUG_TIMING"));
    }

    @Test
    @Statement(id = "001-29", says = "ash-sandbox is a library, not a standalone process")
    void hasNoProgramInTheSandboxModule() {
        assertThat(code.stream().filter(type -> type.getName().startsWith("dev.ash.sandbox.")))
                .isNotEmpty()
                .noneMatch(
                        type -> type.getMethods().stream().anyMatch(ArchitectureCodeTest::isMain));
        assertThat(Programs.dist().resolve("sandbox")).doesNotExist();
    }

    @Test
    @Statement(id = "001-32", says = "SandboxManager: spawns and destroys bridge child processes")
    void exportsSandboxManager() {
        assertThat(methods("dev.ash.sandbox.SandboxManager")).contains("launch", "close");
    }

    @Test
    @Statement(id = "001-33", says = "SandboxManager manages Unix socket connections")
    void connectsToTheBridgeOfASandbox() throws Exception {
        var sandbox = Class.forName("dev.ash.sandbox.Sandbox");

        assertThat(publicTypesOf("dev.ash.sandbox.SandboxManager")).contains(sandbox.getName());
        assertThat(sandbox.getMethod("bridge").getReturnType().getName())
                .isEqualTo("dev.ash.sandbox.BridgeClient");
    }

    @Test
    @Statement(id = "001-34", says = "SandboxPool: a pool backed by the database")
    void storesTheRowsOfThePool() {
        assertThat(named("dev.ash.sandbox.SandboxPool").getFields())
                .extracting(field -> field.getRawType().getName())
                .contains("dev.ash.sandbox.SandboxStore");
        assertThat(named("dev.ash.sandbox.SandboxStore").getAllSubclasses())
                .extracting(JavaClass::getName)
                .contains("dev.ash.server.runner.SandboxRowStore");
    }

    @Test
    @Statement(
            id = "001-39",
            says = "BridgeClient: Unix socket client for communicating with bridges")
    void exportsBridgeClient() {
        assertThat(methods("dev.ash.sandbox.BridgeClient")).contains("send", "next", "close");
        assertThat(uses("dev.ash.sandbox.BridgeClient"))
                .contains("java.net.UnixDomainSocketAddress");
    }

    @Test
    @Statement(id = "001-40", says = "spawnWithLimits() starts a process with limits")
    void startsProcessesBySpawnWithLimits() {
        assertThat(methods("dev.ash.sandbox.launch.Spawner")).contains("spawnWithLimits");
    }

    @Test
    @Statement(id = "001-56", says = "The server uses ash-sandbox for all sandbox operations")
    void startsNoBridgeInTheServerItself() {
        var starters =
                code.stream()
                        .filter(type -> type.getName().startsWith("dev.ash.server."))
                        .filter(type -> uses(type.getName()).contains("java.lang.ProcessBuilder"))
                        .map(JavaClass::getName);

        // The server itself starts only keytool, to create a certificate.
        assertThat(starters).containsExactly("dev.ash.server.tls.SelfSignedCertificate");
    }

    @Test
    @Statement(
            id = "001-68",
            says = "ash-sdk is a TypeScript client library",
            verdict = Verdict.DIFFERS,
            instead = "it is a Java library",
            see = "docs/adr/0037-the-documents-packages-are-maven-modules.md#decision")
    void isAJavaLibrary() {
        assertThat(code.stream().filter(type -> type.getName().startsWith("dev.ash.sdk.")))
                .isNotEmpty();
        assertThat(Path.of("../sdk/package.json")).doesNotExist();
    }

    @Test
    @Statement(
            id = "001-70",
            says = "parseSSEStream() is a reusable SSE parser",
            verdict = Verdict.DIFFERS,
            instead = "it is called `EventStream.parseSseStream`, and runs on the JVM",
            see = NAMES)
    void parsesTheExampleOfTheDocument() throws Exception {
        var example =
                """
                event: message
                data: {"type":"assistant","message":{"content":"Hello!"}}

                event: message
                data: {"type":"assistant","message":{"content":" How can I help?"}}

                event: done
                data: {"sessionId":"550e8400-..."}

                """;
        var parse =
                Class.forName("dev.ash.sdk.EventStream")
                        .getMethod("parseSseStream", InputStream.class);

        var events = new ArrayList<String>();
        for (var event :
                (Iterable<?>)
                        parse.invoke(null, new ByteArrayInputStream(example.getBytes(UTF_8)))) {
            events.add(event.getClass().getSimpleName() + " " + event);
        }

        assertThat(events).hasSize(3);
        assertThat(events.get(0)).startsWith("Message ").contains("Hello!");
        assertThat(events.get(1)).startsWith("Message ").contains(" How can I help?");
        assertThat(events.get(2)).startsWith("Done ").contains("550e8400-...");
    }

    @Test
    @Statement(id = "001-71", says = "ash-sdk re-exports all types from ash-shared")
    void exportsTheTypesOfTheProtocol() throws Exception {
        var dependency =
                ArchitecturePom.of("sdk").declared().stream()
                        .filter(d -> d.artifact().equals("ash-protocol"))
                        .findFirst()
                        .orElseThrow();

        assertThat(dependency.scope()).isEqualTo("compile"); // transitive for users of the SDK
        assertThat(publicTypesOf("dev.ash.sdk.SessionsClient"))
                .contains("dev.ash.protocol.rest.Session", "dev.ash.sdk.EventStream");
    }

    @Test
    @Statement(
            id = "001-58",
            says = "The runner runs SandboxPool with an in-memory DB",
            verdict = Verdict.NOT_YET,
            instead = "the only store of the pool is that of the server's database",
            see = "docs/differences.md#coordinator-mode-and-runners")
    void hasNoStoreInMemory() {
        assertThat(named("dev.ash.sandbox.SandboxStore").getAllSubclasses())
                .extracting(JavaClass::getName)
                .containsExactly("dev.ash.server.runner.SandboxRowStore");
    }

    private static JavaClass named(String name) {
        return code.get(name);
    }

    private static void assertPublic(String name, String... components) {
        assertThat(named(name).getModifiers().toString()).contains("PUBLIC");
        assertThat(methods(name)).contains(components);
    }

    private static Object constant(String type, String field) throws Exception {
        return Class.forName(type).getField(field).get(null);
    }

    private static List<String> methods(String name) {
        return named(name).getMethods().stream().map(JavaMethod::getName).distinct().toList();
    }

    private static boolean isMain(JavaMethod method) {
        return method.getName().equals("main")
                && method.getModifiers().toString().contains("STATIC");
    }

    private static List<String> uses(String name) {
        return named(name).getDirectDependenciesFromSelf().stream()
                .map(dependency -> dependency.getTargetClass().getName())
                .distinct()
                .toList();
    }

    private static List<String> usersOf(JavaClass type) {
        return type.getDirectDependenciesToSelf().stream()
                .map(dependency -> dependency.getOriginClass().getName())
                .map(name -> name.replaceFirst("\\$.*", ""))
                .filter(name -> !name.equals(type.getName()))
                .filter(name -> !name.startsWith("dev.ash.server.ServerMain"))
                .distinct()
                .toList();
    }

    private static Stream<String> publicTypesOf(String name) throws ClassNotFoundException {
        return Arrays.stream(Class.forName(name).getMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .map(Method::getReturnType)
                .map(Class::getName);
    }
}
