package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.launch.HostTools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Test fixture: a data directory, an agent and a scripted bridge, deleted after the test. */
final class TestBed implements AutoCloseable {
    static final AgentVersion AGENT = new AgentVersion("1", new AgentName("test"), 1);
    private static final String PATH = "/usr/bin:/bin";

    final Path root;
    final Path agent;
    final Path dataDir;
    private final Path script;
    private final List<SandboxManager> managers = new ArrayList<>();
    Map<String, String> hostEnvironment = Map.of("PATH", PATH, "HOST_SECRET", "secret");
    Map<String, String> ashEnvironment = Map.of("ASH_ENGINE", "demo");
    Duration readyTimeout = Duration.ofSeconds(10);
    ResourceLimits limits = ResourceLimits.DEFAULT;
    Network network = Network.CLOSED;
    ProjectDirectory project;
    Machine machine;

    TestBed() throws IOException {
        // Not @TempDir: the dedicated users of sandboxes must be able to enter the directory.
        this(Files.createTempDirectory(Path.of("/tmp"), "ash-"));
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx--x--x"));
        Files.createDirectory(agent);
        Files.writeString(agent.resolve("CLAUDE.md"), "You are a test.\n");
        try (var in = TestBed.class.getResourceAsStream("/fake_bridge.py")) {
            Files.write(script, in.readAllBytes());
        }
    }

    /** Opens a fixture that another process has created. */
    TestBed(Path root) {
        this.root = root;
        dataDir = root.resolve("data");
        agent = root.resolve("agent");
        script = root.resolve("fake_bridge.py");
        machine =
                new Machine(
                        HostTools.find(PATH), root.resolve("uids"), Path.of("/etc"), Machine.SELF);
    }

    void withoutBubblewrap() {
        machine = machine.with(machine.tools().withoutBubblewrap());
    }

    /** Skips the test if a requirement is missing, and fails it with {@code CI=true}. */
    static void needs(boolean present, String requirement) {
        if (!present && "true".equals(System.getenv("CI"))) {
            Assertions.fail("this test needs " + requirement + ", and CI=true forbids skipping it");
        }
        Assumptions.assumeTrue(present, "skipped: it needs " + requirement);
    }

    static void needsBubblewrap() {
        needs(HostTools.find(PATH).bubblewrap().isPresent(), "bubblewrap");
    }

    /** Asserts that nothing is missing except, for an ordinary user, control groups. */
    static void assertOnlyGroupsAreMissing(Isolation isolation) throws IOException {
        var missing = isolation.missing();
        if (isRoot() || missing == null) {
            assertThat(missing).isNull();
        } else {
            assertThat(missing.split("; "))
                    .allSatisfy(part -> assertThat(part).contains("is not limited: "));
        }
    }

    static boolean isRoot() throws IOException {
        return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    }

    static void needsRoot() throws IOException {
        needs(isRoot(), "root");
    }

    SandboxConfig config(String mode) {
        return new SandboxConfig(
                dataDir,
                List.of(),
                List.of("python3", script.toString(), mode),
                hostEnvironment,
                ashEnvironment,
                List.of(),
                10,
                false,
                readyTimeout,
                id -> "placeholder of " + id);
    }

    /** Resolves every agent to {@link #agent} and every project to {@link #project}. */
    private HostPaths paths() {
        return new HostPaths() {
            @Override
            public Path agent(AgentVersion version) {
                return agent;
            }

            @Override
            public ProjectDirectory project(ProjectRef ref) {
                return project;
            }
        };
    }

    SandboxManager open(SandboxConfig config) {
        var manager = HostSetup.open(config, paths(), machine);
        managers.add(manager);
        return manager;
    }

    SandboxManager manager(String mode) {
        return open(config(mode));
    }

    SandboxSpec spec() {
        return spec(SandboxId.random());
    }

    SandboxSpec spec(SandboxId id) {
        return new SandboxSpec(
                id, SessionId.random(), AGENT, Map.of(), limits, network, LaunchIds.random());
    }

    /** Runs a shell command inside and returns its output and error output. */
    static String run(Sandbox sandbox, String command) throws IOException {
        var result = exec(sandbox, command);
        return (result.stdout() + result.stderr()).strip();
    }

    static ExecResult exec(Sandbox sandbox, String command) throws IOException {
        sandbox.bridge().send(new BridgeCommand.Exec("1", command, 10_000));
        return (ExecResult) sandbox.bridge().next().event();
    }

    @Override
    public void close() throws IOException {
        managers.forEach(SandboxManager::close);
        try {
            new ProcessBuilder("rm", "-rf", root.toString()).inheritIO().start().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
