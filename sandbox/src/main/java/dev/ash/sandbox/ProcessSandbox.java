package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.files.LogFiles;
import dev.ash.sandbox.launch.SandboxProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;

/** A sandbox that is a process tree of this machine. */
final class ProcessSandbox implements Sandbox {
    private final SandboxId id;
    private final String launchId;
    private final SandboxProcess process;
    private final BridgeClient bridge;
    private final LastWords lastWords;
    private volatile boolean endedByServer;

    ProcessSandbox(
            SandboxId id,
            String launchId,
            SandboxProcess process,
            BridgeClient bridge,
            LastWords lastWords) {
        this.id = id;
        this.launchId = launchId;
        this.process = process;
        this.bridge = bridge;
        this.lastWords = lastWords;
    }

    /** The error output of one launch: a file, and where in it that launch began. */
    record LastWords(Path stderr, long from) {
        /** A sentence to follow another. */
        String sentence() {
            var tail = LogFiles.tail(stderr, from);
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
    public boolean alive() {
        return process.alive();
    }

    @Override
    public void close() {
        endedByServer |= process.alive();
        process.kill();
        bridge.close();
    }

    @Override
    public String death() {
        if (!process.awaitGone(Duration.ofSeconds(1)) && process.alive()) {
            return "The sandbox is still running.";
        }
        return endedByServer
                ? "The sandbox was ended by the server."
                : "The sandbox ended: its bridge %s. %s"
                        .formatted(ending(process.exitCode()), lastWords.sentence());
    }

    /** The code is unknown for a sandbox that was adopted. */
    static String ending(OptionalInt exitCode) {
        if (exitCode.isEmpty()) {
            return "ended";
        }
        int code = exitCode.getAsInt();
        return code > 128 ? "was killed by signal " + (code - 128) : "exited with code " + code;
    }
}
