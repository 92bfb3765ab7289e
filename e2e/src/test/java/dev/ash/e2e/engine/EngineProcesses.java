package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Processes;
import dev.ash.e2e.Processes.Found;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The processes of an engine in the sandbox of a session, as the host sees them. */
final class EngineProcesses {
    static List<Long> pids(TestSession session, TestedEngine engine) {
        return session.processes().stream()
                .filter(found -> found.command().contains(engine.process()))
                .filter(found -> !found.command().matches("(?s).*(bwrap |/bin/sh -c ).*"))
                .map(Found::pid)
                .toList();
    }

    /** Kills an engine with all processes that it started from the same program. */
    static void kill(TestSession session, TestedEngine engine) {
        var pids = pids(session, engine);
        assertThat(pids).as("processes of " + engine.name()).isNotEmpty();
        pids.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    }

    /** Writes to the pipe that the bridge reads as the stdout of the engine. */
    static void print(TestSession session, TestedEngine engine, byte[] output) {
        var pid = pids(session, engine).getFirst();
        var pipe = Path.of("/proc", String.valueOf(pid), "fd", "1");
        try (var out = Files.newOutputStream(pipe, StandardOpenOption.WRITE)) {
            out.write(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns those of these processes that still run. */
    static List<Found> survivors(List<Found> processes) {
        return Processes.matching(
                found ->
                        processes.stream()
                                .anyMatch(
                                        before ->
                                                before.pid() == found.pid()
                                                        && before.start() == found.start()));
    }

    private EngineProcesses() {}
}
