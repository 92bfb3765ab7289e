package dev.ash.sandbox.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.sandbox.limits.Group;
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
    void tellsProcessesApart() throws IOException {
        var own = ProcessHandle.current().pid();
        // A name with a bracket and a space, as a program may give itself.
        var words = List.of("bash", "-c", "exec -a 'x) S 1' sleep 60");
        var environment = Map.of("PATH", HostTools.DEFAULT_PATH, "MARK", "here");
        var child =
                spawner.spawnWithLimits(
                        new Command(
                                words,
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
    void knowsNothingOfAProcessThatIsGone() throws Exception {
        var child = spawner.spawnWithLimits(Command.quiet("true"));
        child.waitFor();

        assertThat(ProcessTable.runsAs(child.pid(), 0)).isFalse();
        assertThat(ProcessTable.isInPidNamespace(child.pid(), 1)).isFalse();
        assertThat(ProcessTable.living(pid -> pid == child.pid())).isEmpty();
    }

    @Test
    void readsWhatBubblewrapTells(@TempDir Path folder) throws IOException {
        var info = folder.resolve("info.json");
        var traces = new Traces(OptionalInt.empty(), info, "A=b", Group.NONE);

        assertThat(traces.firstProcess()).isEmpty();
        Files.writeString(info, "{\n    \"child-pid\": 77");
        assertThat(traces.firstProcess()).isEmpty();
        Files.writeString(info, "{\n    \"child-pid\": 77,\n \"pid-namespace\": 4026532181\n}");
        assertThat(traces.firstProcess()).hasValue(77);
    }

    @Test
    void neverTakesTheSystemsProcessesForASandboxs() {
        assertThatThrownBy(
                        () ->
                                new Traces(
                                        OptionalInt.of(0), Path.of("info.json"), "A=b", Group.NONE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void doesNotTrustNumbersOfAProcessThatIsNotTheSandboxs(@TempDir Path folder)
            throws IOException {
        // As if, since bubblewrap wrote them, both numbers had come to be this very process's.
        var own = ProcessHandle.current().pid();
        var link = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        var namespace = link.replaceAll("[^0-9]", "");
        var info = folder.resolve("info.json");
        Files.writeString(
                info, "{\"child-pid\": %d, \"pid-namespace\": %s}".formatted(own, namespace));

        var matcher =
                new Traces(OptionalInt.empty(), info, "NO_SUCH_VARIABLE=1", Group.NONE).matcher();

        assertThat(ProcessTable.living(matcher)).isEmpty();
    }

    @Test
    void spawnsFromOneThreadThatIsNotVirtual() throws Exception {
        // The parent's thread is not visible in the child, so this only shows that virtual threads
        // can ask, and that a program which is not there is an error for the one who asked.
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
    void killsWhatTakesTooLong() {
        assertThatThrownBy(() -> spawner.run(Command.quiet("sleep", "60"), Duration.ofMillis(50)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not end");
    }

    @Test
    void startsNothingOnceClosed() {
        spawner.close();

        assertThatThrownBy(() -> spawner.spawnWithLimits(Command.quiet("true")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("shutting down");
    }
}
