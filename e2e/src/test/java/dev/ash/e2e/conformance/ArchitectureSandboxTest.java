package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Documents 001 and 003: the isolation tables for Linux and the environment of sandboxes. */
class ArchitectureSandboxTest {
    private static final String ENVIRONMENT = "docs/configuration.md#the-environment-of-a-sandbox";
    private static final String DISK = "docs/isolation.md#disk";
    private static final String HOST_KEY = "sk-ant-key-of-the-host";

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("LANG", "C.UTF-8")
                    .with("TERM", "dumb")
                    .with("ASH_DEBUG_TIMING", "1")
                    .with("ANTHROPIC_API_KEY", HOST_KEY)
                    .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
                    .with("DATABASE_URL", "postgres://secret")
                    .agent("hello");

    private static TestSession session;
    private static TestSession other;
    private static ArchitectureSandbox sandbox;
    private static Map<String, String> environment;

    @BeforeAll
    static void start() {

        session = ash.session("hello");
        other = ash.session("hello");
        sandbox = new ArchitectureSandbox(session);
        environment = sandbox.environment();
    }

    @Test
    @Statement(id = "001-106", says = "Each session runs in a sandboxed child process")
    void runsEachSessionInItsOwnChildProcess() {
        assertThat(session.bridgePid()).isNotEqualTo(other.bridgePid());
        assertThat(ash.server().process().descendants().map(ProcessHandle::pid))
                .contains(session.bridgePid(), other.bridgePid());
    }

    @Test
    @Statement(id = "001-107", says = "Process limits on Linux: cgroups v2 (pids.max)")
    void limitsProcesses() throws IOException {
        assertThat(sandbox.pids()).isEqualTo(limit("pids"));
    }

    @Test
    @Statement(id = "001-108", says = "Memory limits on Linux: cgroups v2 (memory.max)")
    void limitsMemory() throws IOException {
        assertThat(sandbox.memory()).isEqualTo(limit("memoryMb") << 20);
    }

    @Test
    @Statement(id = "001-109", says = "CPU limits on Linux: cgroups v2 (cpu.max)")
    void limitsProcessors() throws IOException {
        assertThat(sandbox.cpu()).isEqualTo(limit("cpuPercent"));
    }

    @Test
    @Statement(
            id = "001-110",
            says = "File size limits on Linux: cgroups + tmpfs",
            verdict = Verdict.DIFFERS,
            instead =
                    "RLIMIT_FSIZE limits each file; an image of limited size or a measurement limits their total",
            see = DISK)
    void limitsTheSizeOfFiles() throws IOException {
        assertThat(sandbox.limit("Max file size")).isEqualTo(Long.toString(limit("diskMb") << 20));
        assertThat(session.created().at("/isolation/disk").asString()).isIn("image", "watch");
    }

    @Test
    @Statement(id = "001-111", says = "Environment on Linux: strict allowlist")
    void setsOnlyDocumentedVariables() throws IOException {
        var documented =
                Files.readString(java.nio.file.Path.of("../docs/configuration.md"))
                        .split("## The environment of a sandbox")[1];
        var unknown = new TreeSet<String>();
        for (var name : environment.keySet()) {
            boolean known =
                    documented.contains("`" + name + "`")
                            || documented.contains(
                                    "`" + name.toUpperCase(java.util.Locale.ROOT) + "`");
            if (!known && !Set.of("_", "SHLVL", "OLDPWD").contains(name)) { // set by the shell
                unknown.add(name);
            }
        }
        assertThat(unknown).isEmpty();
    }

    @Test
    @Statement(id = "001-112", says = "Filesystem on Linux: bubblewrap (planned)")
    void confinesTheFilesystemWithBubblewrap() throws IOException {
        assertThat(session.created().at("/isolation/kind").asString()).isEqualTo("bubblewrap");
        sandbox.assertOwnNamespace("mnt");
        assertThat(sandbox.sh("touch /usr/x /x 2>/dev/null || echo refused"))
                .isEqualTo("refused\n");
    }

    @Test
    @Statement(id = "001-113", says = "Network on Linux: namespace isolation (planned)")
    void isolatesTheNetwork() throws IOException {
        assertThat(session.created().at("/isolation/network").asString()).isEqualTo("closed");
        sandbox.assertOwnNamespace("net");
    }

    @Test
    @Statement(id = "001-121", says = "Allowlist: PATH reaches the sandbox")
    void passesPath() {
        assertThat(environment).containsEntry("PATH", System.getenv("PATH"));
    }

    @Test
    @Statement(id = "001-122", says = "Allowlist: NODE_PATH reaches the sandbox")
    void passesNodePath() {
        assertThat(environment).containsEntry("NODE_PATH", ash.server().marker());
    }

    @Test
    @Statement(
            id = "001-123",
            says = "Allowlist: HOME reaches the sandbox",
            verdict = Verdict.DIFFERS,
            instead = "HOME is the home of the sandbox, /home/agent, not that of the host",
            see = ENVIRONMENT)
    void setsTheHomeOfTheSandbox() {
        assertThat(environment).containsEntry("HOME", "/home/agent");
    }

    @Test
    @Statement(id = "001-124", says = "Allowlist: LANG reaches the sandbox")
    void passesLang() {
        assertThat(environment).containsEntry("LANG", "C.UTF-8");
    }

    @Test
    @Statement(id = "001-125", says = "Allowlist: TERM reaches the sandbox")
    void passesTerm() {
        assertThat(environment).containsEntry("TERM", "dumb");
    }

    @Test
    @Statement(
            id = "001-126",
            says = "Allowlist: ANTHROPIC_API_KEY reaches the sandbox",
            verdict = Verdict.DIFFERS,
            instead = "it contains a placeholder; the server adds the real key to outgoing calls",
            see = "docs/adr/0011-model-calls-pass-through-the-server.md")
    void setsAPlaceholderForTheKey() {
        assertThat(environment.get("ANTHROPIC_API_KEY"))
                .startsWith("sk-ash-")
                .isNotEqualTo(HOST_KEY);
        assertThat(environment).doesNotContainValue(HOST_KEY);
    }

    @Test
    @Statement(id = "001-127", says = "Allowlist: ASH_DEBUG_TIMING reaches the sandbox")
    void passesDebugTiming() {
        assertThat(environment).containsEntry("ASH_DEBUG_TIMING", "1");
    }

    @Test
    @Statement(id = "001-128", says = "Everything else is blocked")
    void blocksOtherVariablesOfTheHost() {
        assertThat(environment)
                .doesNotContainKeys("DATABASE_URL", "ASH_DATA_DIR", "ASH_PORT", "ASH_GATEWAY");
    }

    @Test
    @Statement(id = "001-139", says = "Injected: ASH_BRIDGE_SOCKET")
    void injectsTheSocket() {
        assertThat(environment)
                .containsEntry(
                        "ASH_BRIDGE_SOCKET", "/tmp/ash-" + sandboxId().substring(0, 8) + ".sock");
    }

    @Test
    @Statement(id = "001-140", says = "Injected: ASH_AGENT_DIR")
    void injectsTheDirectoryOfTheAgent() {
        assertThat(sandbox.sh("cat \"$ASH_AGENT_DIR/CLAUDE.md\"")).isEqualTo("You are hello.\n");
    }

    @Test
    @Statement(id = "001-141", says = "Injected: ASH_WORKSPACE_DIR")
    void injectsTheWorkspace() {
        assertThat(sandbox.sh("pwd")).isEqualTo(environment.get("ASH_WORKSPACE_DIR") + "\n");
    }

    @Test
    @Statement(id = "001-142", says = "Injected: ASH_SANDBOX_ID")
    void injectsTheSandboxId() {
        assertThat(environment).containsEntry("ASH_SANDBOX_ID", sandboxId());
    }

    @Test
    @Statement(id = "001-143", says = "Injected: ASH_SESSION_ID")
    void injectsTheSessionId() {
        assertThat(environment).containsEntry("ASH_SESSION_ID", session.id());
    }

    @Test
    @Statement(id = "001-66", says = "The bridge has only allowlisted environment variables")
    void givesTheBridgeNoVariableOfTheHost() throws IOException {
        var own = Files.readString(sandbox.process().resolve("environ"));

        assertThat(own)
                .contains("ASH_BRIDGE_SOCKET=")
                .doesNotContain(HOST_KEY, "AWS_", "DATABASE_URL");
    }

    @Test
    @Statement(id = "001-67", says = "The bridge has a restricted filesystem")
    void hidesTheFilesOfTheHostFromTheSandbox() {
        assertThat(sandbox.sh("ls " + ash.data() + " 2>/dev/null || echo hidden"))
                .isEqualTo("hidden\n");
    }

    @Test
    @Statement(id = "003-07", says = "A sandbox runs a single session")
    void runsOneSessionInASandbox() {
        assertThat(other.created().path("sandboxId").asString()).isNotEqualTo(sandboxId());
        assertThat(new ArchitectureSandbox(other).environment())
                .containsEntry("ASH_SESSION_ID", other.id());
    }

    @Test
    @Statement(id = "003-08", says = "A sandbox has restricted environment variables")
    void keepsTheEnvironmentOfTheServerOut() {
        assertThat(environment).doesNotContainKeys("DATABASE_URL", "ASH_DATA_DIR");
    }

    @Test
    @Statement(id = "003-09", says = "A sandbox has resource limits (cgroups on Linux)")
    void hasItsOwnControlGroup() throws IOException {
        var otherSandbox = new ArchitectureSandbox(other);

        assertThat(sandbox.group("pids") + sandbox.group(""))
                .isNotEqualTo(otherSandbox.group("pids") + otherSandbox.group(""));
        assertThat(session.created().at("/isolation/limits").toString())
                .contains("memory", "pids", "cpu");
    }

    @Test
    @Statement(id = "003-10", says = "A sandbox has filesystem isolation (bubblewrap)")
    void startsTheSandboxWithBubblewrap() {
        assertThat(session.processes()).anyMatch(process -> process.command().contains("bwrap"));
    }

    @Test
    @Statement(
            id = "003-11",
            says = "The agent runs inside the sandbox and cannot access anything outside")
    void keepsOtherSessionsAndTheHostOutOfReach() {
        other.exec("echo private > secret.txt");

        assertThat(sandbox.sh("cat " + other.sandbox() + "/workspace/secret.txt 2>/dev/null; true"))
                .isEmpty();
        assertThat(sandbox.sh("cat " + ash.data() + "/initial-api-key 2>/dev/null; true"))
                .isEmpty();
        assertThat(sandbox.sh("ls /proc | grep -x " + ash.server().process().pid() + "; true"))
                .isEmpty();
    }

    @Test
    @Statement(id = "003-62", says = "Process limits on Linux: cgroups v2 (pids.max)")
    void refusesProcessesBeyondTheLimit() throws IOException {
        assertThat(sandbox.pids()).isEqualTo(512);
    }

    @Test
    @Statement(id = "003-63", says = "Memory limits on Linux: cgroups v2 (memory.max)")
    void hasTheDefaultMemoryLimit() throws IOException {
        assertThat(sandbox.memory()).isEqualTo(2048L << 20);
    }

    @Test
    @Statement(id = "003-64", says = "CPU limits on Linux: cgroups v2 (cpu.max)")
    void hasTheDefaultProcessorLimit() throws IOException {
        assertThat(sandbox.cpu()).isEqualTo(100);
    }

    @Test
    @Statement(
            id = "003-65",
            says = "File size limits on Linux: cgroups + tmpfs",
            verdict = Verdict.DIFFERS,
            instead = "a process may write files up to `diskMb` (RLIMIT_FSIZE)",
            see = DISK)
    void stopsAFileAtItsLimit() {
        assertThat(sandbox.sh("truncate -s 2G big 2>/dev/null || echo too large; rm -f big"))
                .isEqualTo("too large\n");
    }

    @Test
    @Statement(
            id = "003-66",
            says =
                    "Environment on Linux: strict allowlist: PATH, HOME, LANG, TERM, ANTHROPIC_API_KEY and a few others")
    void hasTheNamesOfTheAllowlist() {
        assertThat(environment).containsKeys("PATH", "HOME", "LANG", "TERM", "ANTHROPIC_API_KEY");
    }

    @Test
    @Statement(id = "003-67", says = "Filesystem on Linux: bubblewrap")
    void mountsTheRootReadOnly() {
        assertThat(sandbox.sh("touch /etc/x 2>/dev/null || echo refused")).isEqualTo("refused\n");
        assertThat(sandbox.sh("ls /home")).isEqualTo("agent\n");
    }

    @Test
    @Statement(
            id = "003-68",
            says = "Host credentials like AWS_ACCESS_KEY_ID never enter the sandbox")
    void keepsAwsAccessKeysOut() throws IOException {
        assertThat(environment).doesNotContainKey("AWS_ACCESS_KEY_ID");
        for (var process : session.processes()) {
            assertThat(process.environment()).doesNotContain("AKIAIOSFODNN7EXAMPLE");
        }
    }

    private static String sandboxId() {
        return session.created().path("sandboxId").asString();
    }

    private static long limit(String name) {
        return session.created().path("limits").path(name).asLong();
    }
}
