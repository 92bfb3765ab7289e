package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.bridge.BridgeCommand;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SandboxManagerTest {
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) { // null if the test was skipped
            bed.close();
        }
    }

    @Test
    void launchesBridgeAndRunsCommand() throws IOException {
        var manager = bed.manager("serves");

        try (var sandbox = manager.launch(bed.spec())) {
            assertThat(manager.isolation(Network.CLOSED).kind()).isEqualTo("bubblewrap");
            assertThat(manager.isolation(Network.CLOSED).network()).isEqualTo("closed");
            TestBed.assertOnlyGroupsAreMissing(manager.isolation(Network.CLOSED));
            assertThat(sandbox.isAlive()).isTrue();
            assertThat(run(sandbox, "cat CLAUDE.md; pwd")).isEqualTo("You are a test.\n/workspace");
        }
    }

    @Test
    void setsExactlyTheVariablesOfTheTable() throws IOException {
        bed.hostEnvironment = new TreeMap<>(bed.hostEnvironment);
        bed.hostEnvironment.put("LANG", "C.UTF-8");
        bed.hostEnvironment.put("ANTHROPIC_API_KEY", "sk-test");
        var spec = bed.spec();
        var manager = bed.manager("serves");

        try (var sandbox = manager.launch(spec)) {
            // The initial environment of the bridge, without additions of its shell.
            var lines = run(sandbox, "tr '\\0' '\\n' < /proc/$PPID/environ").lines();
            var variables =
                    lines.map(line -> line.split("=", 2))
                            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));

            assertThat(variables.remove("ASH_BRIDGE_NONCE")).isEqualTo(spec.nonce());
            var expected = new TreeMap<String, String>();
            expected.put("ANTHROPIC_API_KEY", "placeholder of " + spec.id());
            expected.put("ANTHROPIC_BASE_URL", "http://model.ash.internal");
            expected.put("ANTHROPIC_UNIX_SOCKET", "/run/egress/proxy.sock");
            expected.put("ASH_MODEL_KEY", "placeholder of " + spec.id());
            expected.put("ASH_MODEL_SOCKET", "/run/egress/proxy.sock");
            expected.put("ASH_AGENT_DIR", "/opt/agent");
            expected.put("ASH_BRIDGE_NONCE_FD", "6");
            expected.put("ASH_BRIDGE_PEERS", "outside");
            expected.put(
                    "ASH_BRIDGE_SOCKET", "/tmp/ash-" + spec.id().value().substring(0, 8) + ".sock");
            expected.put("ASH_ENGINE", "demo");
            expected.put("ASH_SANDBOX_ID", spec.id().value());
            expected.put("ASH_SANDBOX_MEMORY_MB", spec.limits().memoryMb().toString());
            expected.put("ASH_SESSION_ID", spec.session().value());
            expected.put("ASH_WORKSPACE_DIR", "/workspace");
            expected.put("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
            expected.put("CLAUDE_CODE_ENTRYPOINT", "sdk-java");
            expected.put("DISABLE_AUTOUPDATER", "1");
            expected.put("DISABLE_TELEMETRY", "1");
            expected.put("HOME", "/home/agent");
            expected.put("IS_SANDBOX", "1");
            expected.put("LANG", "C.UTF-8");
            expected.put("ASH_EGRESS_SOCKET", "/run/egress/proxy.sock");
            expected.put("NODE_USE_ENV_PROXY", "1");
            for (var name : List.of("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY")) {
                expected.put(name, "http://127.0.0.1:3128");
                expected.put(name.toLowerCase(Locale.ROOT), "http://127.0.0.1:3128");
            }
            expected.put("NO_PROXY", "localhost,127.0.0.1,::1");
            expected.put("no_proxy", "localhost,127.0.0.1,::1");
            expected.put("LOGNAME", "agent");
            expected.put("PATH", "/usr/bin:/bin");
            expected.put("PWD", "/workspace");
            expected.put("SHELL", "/bin/bash");
            expected.put("TMPDIR", "/tmp");
            expected.put("USER", "agent");
            assertThat(variables).containsExactlyInAnyOrderEntriesOf(expected);
        }
    }

    @Test
    void acceptsBridgeWithoutIdentity() throws IOException {
        try (var sandbox = bed.manager("bare-ready").launch(bed.spec())) {
            assertThat(run(sandbox, "echo hello")).isEqualTo("hello");
        }
    }

    @Test
    void passesNonceByDescriptor() throws IOException {
        var spec = bed.spec();
        try (var sandbox = bed.manager("reads-descriptor").launch(spec)) {
            assertThat(sandbox.bridge().ready().nonce()).isEqualTo(spec.nonce());
            assertThat(run(sandbox, "readlink /proc/self/fd/0")).isEqualTo("/dev/null");
        }
    }

    @Test
    void rejectsBridgeWithWrongNonce() {
        var manager = bed.manager("wrong-nonce");

        assertThatThrownBy(() -> manager.launch(bed.spec()))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("does not have the nonce");
    }

    @Test
    void rejectsBridgeThatDoesNotStartWithReady() {
        var manager = bed.manager("not-ready-first");

        assertThatThrownBy(() -> manager.launch(bed.spec()))
                .hasMessageContaining("first line of the bridge must be ready");
    }

    @Test
    void timesOutWithErrorOutputOfBridgeThatNeverListens() throws IOException {
        assertTimesOut("never-listens", "thinking about it");
    }

    @Test
    void timesOutWithErrorOutputOfSilentBridge() throws IOException {
        assertTimesOut("says-nothing", "lost for words");
    }

    private void assertTimesOut(String mode, String errorOutput) throws IOException {
        bed.readyTimeout = Duration.ofMillis(1500);
        var manager = bed.manager(mode);
        var spec = bed.spec();
        long start = System.nanoTime();

        assertThatThrownBy(() -> manager.launch(spec))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SANDBOX_FAILED))
                .hasMessageContaining("did not send ready within 1500 ms")
                .hasMessageContaining(errorOutput);

        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .isBetween(Duration.ofMillis(1500), Duration.ofSeconds(30));
        assertThat(Processes.with("ASH_SANDBOX_ID=" + spec.id())).isEmpty();
    }

    @Test
    void failsImmediatelyWhenBridgeExits() {
        bed.readyTimeout = Duration.ofMinutes(5);
        var manager = bed.manager("exits");
        long start = System.nanoTime();

        assertThatThrownBy(() -> manager.launch(bed.spec()))
                .hasMessageContaining("exited with code 3 before it sent ready")
                .hasMessageContaining("no engine today");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
    }

    @Test
    void isolatesMalformedOutputOfOneBridge() throws IOException {
        var garbage = bed.manager("garbage");
        var first = garbage.launch(bed.spec());
        var second = garbage.launch(bed.spec());

        first.bridge().send(new BridgeCommand.Interrupt(null));

        assertThatThrownBy(() -> first.bridge().next()).isInstanceOf(IOException.class);
        assertThat(second.isAlive()).isTrue();
        first.close();
        assertThat(second.isAlive()).isTrue();
        second.close();
    }

    @Test
    void keepsFilesAndUserAcrossLaunches() throws IOException {
        var manager = bed.manager("serves");
        var spec = bed.spec();
        try (var sandbox = manager.launch(spec)) {
            run(sandbox, "echo mine > notes; echo settings > ~/.rc; echo gone > /tmp/scratch");
        }
        var owner = manager.owner(spec.id());
        Files.writeString(bed.agent.resolve("CLAUDE.md"), "changed since\n");

        try (var sandbox = manager.launch(spec)) {
            assertThat(run(sandbox, "cat notes ~/.rc CLAUDE.md; ls /tmp"))
                    .isEqualTo(
                            "mine\nsettings\nYou are a test.\nash-"
                                    + spec.id().shortId()
                                    + ".sock");
        }
        assertThat(manager.owner(spec.id())).isEqualTo(owner);
        assertThat(owner.isPresent()).isEqualTo(TestBed.isRoot());
    }

    @Test
    void assignsDedicatedUserToRestoredFiles() throws Exception {
        TestBed.needsRoot();
        var manager = bed.manager("serves");
        var spec = bed.spec();
        try (var sandbox = manager.launch(spec)) {
            run(sandbox, "mkdir directory; echo mine > directory/notes; ln -s /etc/passwd link");
        }
        var workspace = manager.workspace(spec.id());
        new ProcessBuilder("chown", "-hR", "0:0", workspace.toString()).start().waitFor();

        try (var sandbox = manager.launch(spec)) {
            assertThat(run(sandbox, "echo more >> directory/notes; cat directory/notes"))
                    .isEqualTo("mine\nmore");
        }
        assertThat(manager.owner(spec.id()).orElseThrow()).isGreaterThanOrEqualTo(2_100_000_000);
        assertThat(Files.getAttribute(Path.of("/etc/passwd"), "unix:uid")).isEqualTo(0);
    }

    @Test
    void rejectsConcurrentLaunchOfSameSandbox() {
        var manager = bed.manager("serves");
        var spec = bed.spec();
        try (var sandbox = manager.launch(spec)) {
            assertThatThrownBy(() -> manager.launch(spec))
                    .isInstanceOfSatisfying(
                            ApiException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_BUSY));
            assertThat(sandbox.isAlive()).isTrue();
        }
    }

    @Test
    void killsLeftoversOfCrashedServerOnLaunch() throws Exception {
        var spec = bed.spec();
        CrashingServer.run(bed.root, spec.id());
        var mark = "ASH_SANDBOX_ID=" + spec.id();
        var left = Processes.with(mark);
        assertThat(left).isNotEmpty();

        try (var sandbox = bed.manager("serves").launch(spec)) {
            assertThat(Processes.with(mark)).isNotEmpty().doesNotContainAnyElementsOf(left);
            assertThat(run(sandbox, "cat notes")).isEqualTo("kept");
        }
    }

    @Test
    void killsLeftoversOfCrashedServerAndKeepsFiles() throws Exception {
        var spec = bed.spec();
        CrashingServer.run(bed.root, spec.id());
        assertThat(Processes.with("ASH_SANDBOX_ID=" + spec.id())).isNotEmpty();

        var manager = bed.manager("serves");
        manager.killLeftovers(spec.id());

        assertThat(Processes.with("ASH_SANDBOX_ID=" + spec.id())).isEmpty();
        assertThat(manager.workspace(spec.id()).resolve("notes")).exists();
    }

    @Test
    void killsLeftoversOfCrashedServerOnDiscard() throws Exception {
        var spec = bed.spec();
        CrashingServer.run(bed.root, spec.id());
        assertThat(Processes.with("ASH_SANDBOX_ID=" + spec.id())).isNotEmpty();

        bed.manager("serves").discard(spec.id());

        assertThat(Processes.with("ASH_SANDBOX_ID=" + spec.id())).isEmpty();
    }

    @Test
    void removesEverythingOnDiscard() throws IOException {
        var manager = bed.manager("serves");
        var spec = bed.spec();
        var sandbox = manager.launch(spec);
        run(sandbox, "mkdir -p a/b/c; touch a/b/c/d; chmod 000 a/b; ln -s / root");
        run(sandbox, "p=deep; for i in $(seq 400); do mkdir $p && cd $p; done");

        manager.discard(spec.id());
        manager.discard(spec.id());

        assertThat(sandbox.isAlive()).isFalse();
        assertThat(findAll(bed.dataDir, spec.id())).isEmpty();
        if (TestBed.isRoot()) {
            assertThat(bed.root.resolve("uids")).isDirectoryNotContaining("glob:**/2*");
        }
    }

    /** Finds files of a sandbox, ignoring files that are concurrently removed in the background. */
    private static List<String> findAll(Path dataDir, SandboxId id) throws IOException {
        var found = new ArrayList<String>();
        Files.walkFileTree(
                dataDir,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes a) {
                        return visitFile(directory, a);
                    }

                    @Override
                    public FileVisitResult visitFile(Path path, BasicFileAttributes a) {
                        if (path.toString().contains(id.shortId())) {
                            found.add(path.toString());
                        }
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path path, IOException e) {
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException e) {
                        return FileVisitResult.CONTINUE;
                    }
                });
        return found;
    }

    @Test
    void terminatesAllAndRejectsLaunchesAfterClose() {
        var manager = bed.manager("serves");
        var first = manager.launch(bed.spec());
        var second = manager.launch(bed.spec());

        manager.close();
        manager.close();

        assertThat(first.isAlive()).isFalse();
        assertThat(second.isAlive()).isFalse();
        assertThatThrownBy(() -> manager.launch(bed.spec())).hasMessageContaining("shutting down");
    }

    @Test
    void rejectsAgentWithLinkOutsideItsDirectory() throws IOException {
        Files.createSymbolicLink(bed.agent.resolve("passwords"), Path.of("/etc/shadow"));
        var manager = bed.manager("serves");
        var spec = bed.spec();

        assertThatThrownBy(() -> manager.launch(spec))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.AGENT_UNUSABLE))
                .hasMessageContaining("passwords");

        Files.delete(bed.agent.resolve("passwords"));
        manager.launch(spec).close(); // no partial files are left
    }

    @Test
    void writesOutputToFilesOfServer() throws IOException {
        var manager = bed.manager("serves");
        var spec = bed.spec();
        try (var sandbox = manager.launch(spec)) {
            sandbox.bridge().send(new BridgeCommand.Shutdown());
            assertThat(sandbox.bridge().next()).isNull();
            assertThat(sandbox.exitReason())
                    .isEqualTo(
                            "The sandbox terminated: its bridge exited with code 7."
                                    + " Its error output ends with: shutdown requested");
        }
        var stderr = manager.logs(spec.id()).resolve("stderr.log");
        assertThat(stderr).hasContent("shutdown requested");
        assertThat(Files.getPosixFilePermissions(stderr)).hasSize(2);
    }
}
