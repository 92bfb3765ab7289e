package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.files.OutputFiles;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.limits.PressureMonitor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A sandbox that runs as a process tree on this machine. */
final class ProcessSandbox implements Sandbox {
    private final SandboxId id;
    private final String launchId;
    private final SandboxProcess process;
    private final BridgeClient bridge;
    private final ErrorOutput errorOutput;
    private final PressureMonitor pressureMonitor;
    private volatile boolean closedByServer;
    private volatile @Nullable String limitHit;

    ProcessSandbox(
            SandboxId id,
            String launchId,
            SandboxProcess process,
            BridgeClient bridge,
            ErrorOutput errorOutput,
            PressureMonitor pressureMonitor) {
        this.id = id;
        this.launchId = launchId;
        this.process = process;
        this.bridge = bridge;
        this.errorOutput = errorOutput;
        this.pressureMonitor = pressureMonitor;
    }

    /** The error output of one launch: a file and the offset at which the launch began. */
    record ErrorOutput(Path stderr, long from) {
        /** Returns the end of the output as a sentence for an error message. */
        String describe() {
            var tail = OutputFiles.tail(stderr, from);
            return tail.isEmpty()
                    ? "It wrote no error output."
                    : "Its error output ends with: " + tail;
        }
    }

    @Override
    public SandboxId id() {
        return id;
    }

    @Override
    public String launchId() {
        return launchId;
    }

    @Override
    public BridgeClient bridge() {
        return bridge;
    }

    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Terminates the sandbox because it exceeded a limit, and keeps the message as its exit reason.
     */
    void terminate(String limit) {
        limitHit = limit;
        close();
    }

    @Override
    public Optional<String> pressure() {
        return pressureMonitor.describe();
    }

    @Override
    public void close() {
        closedByServer |= process.isAlive();
        process.kill();
        bridge.close();
    }

    @Override
    public String exitReason() {
        if (!process.awaitGone(Duration.ofSeconds(1)) && process.isAlive()) {
            return "The sandbox is still running.";
        }
        if (limitHit != null) {
            return "The sandbox was terminated. " + limitHit;
        }
        if (closedByServer) {
            return "The sandbox was terminated by the server.";
        }
        var exitCode = process.exitCode();
        var because =
                exitCode.orElse(-1) == 0 ? "" : pressure().map(cause -> cause + " ").orElse("");
        return "The sandbox terminated: its bridge %s. %s%s"
                .formatted(describeExit(exitCode), because, errorOutput.describe());
    }

    /** Describes an exit code, which is unknown for an adopted sandbox. */
    static String describeExit(OptionalInt exitCode) {
        if (exitCode.isEmpty()) {
            return "exited";
        }
        int code = exitCode.getAsInt();
        return code > 128 ? "was killed by signal " + (code - 128) : "exited with code " + code;
    }
}
