package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.files.LogFiles;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.limits.Strain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A sandbox that is a process tree of this machine. */
final class ProcessSandbox implements Sandbox {
    private final SandboxId id;
    private final String launchId;
    private final SandboxProcess process;
    private final BridgeClient bridge;
    private final LastWords lastWords;
    private final Strain strain;
    private volatile boolean endedByServer;
    private volatile @Nullable String limitHit;

    ProcessSandbox(
            SandboxId id,
            String launchId,
            SandboxProcess process,
            BridgeClient bridge,
            LastWords lastWords,
            Strain strain) {
        this.id = id;
        this.launchId = launchId;
        this.process = process;
        this.bridge = bridge;
        this.lastWords = lastWords;
        this.strain = strain;
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

    /** Ends it because of a limit, which is then how it died. */
    void end(String limit) {
        limitHit = limit;
        close();
    }

    @Override
    public Optional<String> pressure() {
        return strain.sentence();
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
        if (limitHit != null) {
            return "The sandbox was ended. " + limitHit;
        }
        if (endedByServer) {
            return "The sandbox was ended by the server.";
        }
        var exitCode = process.exitCode();
        var because = exitCode.orElse(-1) == 0 ? "" : pressure().map(why -> why + " ").orElse("");
        return "The sandbox ended: its bridge %s. %s%s"
                .formatted(ending(exitCode), because, lastWords.sentence());
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
