package dev.ash.sandbox.launch;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.limits.Bounds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
 */
public record LaunchRecord(
        long pid, String birth, long stderrFrom, Bounds bounds, List<String> groups) {
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
                            json.strings("groups")));
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
                .put("groups", groups);
        Files.write(file, json.end().toBytes());
    }

    boolean alive() {
        return !birth.isEmpty() && ProcessTable.birth(pid).equals(birth);
    }
}
