package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** Runs the real program in a separate JVM, with the flags of a sandbox. */
final class BridgeProcess implements AutoCloseable {
    private final Process process;
    private final Path directory;

    private BridgeProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    static BridgeProcess start(Path directory, Map<String, String> environment, String... arguments)
            throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss256k", "-Xmx128m"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(BridgeMain.class.getName());
        command.addAll(List.of(arguments));
        return start(directory, environment, command);
    }

    /** Starts the program with this text in a descriptor, which a shell opens as a pipe. */
    static BridgeProcess startWithDescriptor(
            Path directory, Map<String, String> environment, int descriptor, String text)
            throws IOException {
        var shell = "printf '%s' \"$1\" | { shift; exec \"$@\" " + descriptor + "<&0; }";
        var command = new ArrayList<>(List.of("/bin/sh", "-c", shell, "sh", text));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.add(BridgeMain.class.getName());
        return start(directory, environment, command);
    }

    private static BridgeProcess start(
            Path directory, Map<String, String> environment, List<String> command)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(directory.toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.redirectOutput(directory.resolve("stdout.log").toFile());
        builder.redirectError(directory.resolve("stderr.log").toFile());
        return new BridgeProcess(builder.start(), directory);
    }

    /** Connects as soon as the program listens. */
    RawClient connect() throws IOException {
        var socket = directory.resolve("b.sock");
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(socket) || !process.isAlive());
        assertThat(process.isAlive()).as(stderr()).isTrue();
        return RawClient.connect(socket);
    }

    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("exited within 30 s").isTrue();
        return process.exitValue();
    }

    String stderr() throws IOException {
        return Files.readString(directory.resolve("stderr.log"));
    }

    void terminate() {
        process.destroy();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
