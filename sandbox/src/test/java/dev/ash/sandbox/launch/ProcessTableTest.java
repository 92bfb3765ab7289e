package dev.ash.sandbox.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.sandbox.limits.ControlGroup;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessTableTest {
    private final Spawner spawner = new Spawner();

    @AfterEach
    void close() {
        spawner.close();
    }

    @Test
    void readsPropertiesOfProcess() throws IOException {
        var own = ProcessHandle.current().pid();
        // A process name may contain parentheses and spaces.
        var arguments = List.of("bash", "-c", "exec -a 'x) S 1' sleep 60");
        var environment = Map.of("PATH", HostTools.DEFAULT_PATH, "MARK", "here");
        var child =
                spawner.spawnWithLimits(
                        new Command(
                                arguments,
                                environment,
                                Path.of("/"),
                                Redirect.DISCARD,
                                Redirect.DISCARD));
        try {
            int uid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
            assertThat(ProcessTable.runsAs(child.pid(), uid)).isTrue();
            assertThat(ProcessTable.runsAs(child.pid(), uid + 1)).isFalse();
            assertThat(ProcessTable.isChildOf(child.pid(), own)).isTrue();
            assertThat(ProcessTable.isInSession(child.pid(), child.pid())).isFalse();
            assertThat(ProcessTable.hasVariable(child.pid(), "MARK=here")).isTrue();
            assertThat(ProcessTable.hasVariable(child.pid(), "MARK=her")).isFalse();
            assertThat(ProcessTable.living(pid -> pid == child.pid())).hasSize(1);
        } finally {
            child.destroyForcibly();
        }
    }

    @Test
    void returnsFalseForMissingProcess() throws Exception {
        var child = spawner.spawnWithLimits(Command.quiet("true"));
        child.waitFor();

        assertThat(ProcessTable.runsAs(child.pid(), 0)).isFalse();
        assertThat(ProcessTable.isInPidNamespace(child.pid(), 1)).isFalse();
        assertThat(ProcessTable.living(pid -> pid == child.pid())).isEmpty();
    }

    @Test
    void readsInfoFileOfBubblewrap(@TempDir Path directory) throws IOException {
        var info = directory.resolve("info.json");
        var markers = new ProcessMarkers(OptionalInt.empty(), info, "A=b", ControlGroup.NONE);

        assertThat(markers.firstProcess()).isEmpty();
        Files.writeString(info, "{\n    \"child-pid\": 77");
        assertThat(markers.firstProcess()).isEmpty();
        Files.writeString(info, "{\n    \"child-pid\": 77,\n \"pid-namespace\": 4026532181\n}");
        assertThat(markers.firstProcess()).hasValue(77);
    }

    @Test
    void rejectsSystemUid() {
        assertThatThrownBy(
                        () ->
                                new ProcessMarkers(
                                        OptionalInt.of(0),
                                        Path.of("info.json"),
                                        "A=b",
                                        ControlGroup.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void ignoresReusedPidAndNamespace(@TempDir Path directory) throws IOException {
        // Simulates that this process reuses the pid and namespace that bubblewrap wrote.
        var own = ProcessHandle.current().pid();
        var link = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        var namespace = link.replaceAll("[^0-9]", "");
        var info = directory.resolve("info.json");
        Files.writeString(
                info, "{\"child-pid\": %d, \"pid-namespace\": %s}".formatted(own, namespace));

        var matcher =
                new ProcessMarkers(
                                OptionalInt.empty(), info, "NO_SUCH_VARIABLE=1", ControlGroup.NONE)
                        .matcher();

        assertThat(ProcessTable.living(matcher)).isEmpty();
    }

    @Test
    void reportsSpawnFailureToVirtualThread() throws Exception {
        // The forking thread is not visible in the child, so this only verifies that virtual
        // threads
        // can spawn, and that the caller gets the error for a missing program.
        var failures = new java.util.concurrent.ArrayBlockingQueue<Exception>(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                spawner.spawnWithLimits(Command.quiet("/no/such/program"));
                            } catch (IOException e) {
                                failures.add(e);
                            }
                        })
                .join();
        assertThat(failures.poll()).hasMessageContaining("/no/such/program");
    }

    @Test
    void killsProgramAfterTimeout() {
        assertThatThrownBy(() -> spawner.run(Command.quiet("sleep", "60"), Duration.ofMillis(50)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not exit");
    }

    @Test
    void startsNothingAfterClose() {
        spawner.close();

        assertThatThrownBy(() -> spawner.spawnWithLimits(Command.quiet("true")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shutting down");
    }
}
