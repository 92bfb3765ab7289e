package dev.ash.sandbox.launch;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.limits.ResolvedLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * The persistent record of a launch, stored next to the sandbox and out of its reach, so that a
 * later server can adopt the sandbox.
 *
 * @param pid pid of the outer process
 * @param startTime start time of that process, as pids are reused
 * @param stderrFrom offset in the error output at which this launch begins
 * @param groups its control group, as returned by {@link dev.ash.sandbox.limits.ControlGroup#lines}
 * @param bridgePid pid of the process that listens on the socket; 0 before the first connection
 * @param bridgeStartTime start time of that process
 */
public record LaunchRecord(
        long pid,
        String startTime,
        long stderrFrom,
        ResolvedLimits limits,
        List<String> groups,
        long bridgePid,
        String bridgeStartTime) {
    public static Optional<LaunchRecord> read(Path file) {
        try {
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
            return Optional.of(
                    new LaunchRecord(
                            json.number("pid").orElseThrow(),
                            json.requireString("birth"),
                            json.number("stderrFrom").orElse(0),
                            new ResolvedLimits(
                                    requireInt(json, "memoryMb"),
                                    requireInt(json, "cpuPercent"),
                                    requireInt(json, "pids"),
                                    requireInt(json, "diskMb")),
                            json.strings("groups"),
                            json.number("bridgePid").orElse(0),
                            json.string("bridgeBirth").orElse("")));
        } catch (IOException | RuntimeException e) {
            return Optional.empty(); // missing or incomplete
        }
    }

    private static int requireInt(JsonObject json, String name) throws IOException {
        return Math.toIntExact(json.number(name).orElseThrow());
    }

    void write(Path file) throws IOException {
        var json = JsonWriter.object().put("pid", pid).put("birth", startTime);
        json.put("stderrFrom", stderrFrom)
                .put("memoryMb", limits.memoryMb())
                .put("cpuPercent", limits.cpuPercent())
                .put("pids", limits.pids())
                .put("diskMb", limits.diskMb())
                .put("groups", groups)
                .put("bridgePid", bridgePid)
                .put("bridgeBirth", bridgeStartTime);
        // Atomic: it replaces an earlier record of the same launch.
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.write(draft, json.end().toBytes());
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether a process is the recorded bridge, and not one that reuses its pid. */
    public boolean isBridge(long pid) {
        return pid == bridgePid
                && !bridgeStartTime.isEmpty()
                && ProcessTable.startTime(pid).equals(bridgeStartTime);
    }

    boolean isAlive() {
        return !startTime.isEmpty() && ProcessTable.startTime(pid).equals(startTime);
    }
}
