package dev.ash.sandbox.launch;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.limits.Bounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * What a server writes down about a launch, beside the sandbox and out of its reach, so that
 * another server can take the sandbox over.
 *
 * @param pid of the process outside
 * @param birth when that process began, since another may have its number by now
 * @param stderrFrom where in the error output the words of this launch begin
 * @param groups its control group, as {@link dev.ash.sandbox.limits.Group#lines} tells it
 * @param bridgePid of the process that listens for the server; 0 if it has not been connected to
 * @param bridgeBirth when that one began
 */
public record LaunchRecord(
        long pid,
        String birth,
        long stderrFrom,
        Bounds bounds,
        List<String> groups,
        long bridgePid,
        String bridgeBirth) {
    public static Optional<LaunchRecord> read(Path file) {
        try {
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
            return Optional.of(
                    new LaunchRecord(
                            json.number("pid").orElseThrow(),
                            json.requireString("birth"),
                            json.number("stderrFrom").orElse(0),
                            new Bounds(
                                    amount(json, "memoryMb"),
                                    amount(json, "cpuPercent"),
                                    amount(json, "pids"),
                                    amount(json, "diskMb")),
                            json.strings("groups"),
                            json.number("bridgePid").orElse(0),
                            json.string("bridgeBirth").orElse("")));
        } catch (IOException | RuntimeException e) {
            return Optional.empty(); // not there, or not written to its end
        }
    }

    private static int amount(JsonObject json, String name) throws IOException {
        return Math.toIntExact(json.number(name).orElseThrow());
    }

    void write(Path file) throws IOException {
        var json = JsonWriter.object().put("pid", pid).put("birth", birth);
        json.put("stderrFrom", stderrFrom)
                .put("memoryMb", bounds.memoryMb())
                .put("cpuPercent", bounds.cpuPercent())
                .put("pids", bounds.pids())
                .put("diskMb", bounds.diskMb())
                .put("groups", groups)
                .put("bridgePid", bridgePid)
                .put("bridgeBirth", bridgeBirth);
        // Whole or not at all: it replaces an earlier record of the same launch.
        var draft = file.resolveSibling(file.getFileName() + ".new");
        Files.write(draft, json.end().toBytes());
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether a process is the recorded bridge, and not another that has its number by now. */
    public boolean isBridge(long pid) {
        return pid == bridgePid
                && !bridgeBirth.isEmpty()
                && ProcessTable.birth(pid).equals(bridgeBirth);
    }

    boolean alive() {
        return !birth.isEmpty() && ProcessTable.birth(pid).equals(birth);
    }
}
