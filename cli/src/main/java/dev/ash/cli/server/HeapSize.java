package dev.ash.cli.server;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Heap size of the server, from {@code ASH_HEAP_MB}, which is read like the server's settings. */
final class HeapSize {
    static final String NAME = "ASH_HEAP_MB";
    private static final int DEFAULT_MB = 512;
    private static final int MIN_MB = 128;
    private static final int MAX_MB = 1024 * 1024;

    /** Class unloading takes most of a remark pause (25 of 35 ms), and the server unloads none. */
    private static final String SHORT_PAUSES = "-XX:-ClassUnloadingWithConcurrentMark";

    /**
     * Returns memory to the system: an idle server collects garbage every 10 s, keeps at most 30 %
     * of its heap free, and trims the memory of native libraries. By default the heap starts with
     * 1/64 of the machine's memory and never shrinks while idle. It starts with 64 MB, because a
     * smaller one is collected twenty times during a start. With a smaller minimum, the JVM would
     * reject the AOT cache, which has objects.
     */
    private static final List<String> SMALL_WHEN_IDLE =
            List.of(
                    "-XX:InitialHeapSize=64m",
                    "-XX:MinHeapSize=16m",
                    "-XX:MinHeapFreeRatio=10",
                    "-XX:MaxHeapFreeRatio=30",
                    "-XX:G1PeriodicGCInterval=10000",
                    "-XX:TrimNativeHeapInterval=10000");

    /** Exits on memory exhaustion: a restarted server adopts the sandboxes. */
    static List<String> flags(Host host, DataDirectory data, Map<String, String> settings) {
        var configured =
                Optional.ofNullable(settings.get(NAME))
                        .or(() -> Optional.of(host.variable(NAME, "")))
                        .filter(value -> !value.isBlank())
                        .or(() -> fromFile(data))
                        .map(String::strip)
                        .filter(value -> !value.isEmpty());
        int megabytes = configured.map(HeapSize::parse).orElse(DEFAULT_MB);
        var flags = new ArrayList<>(SMALL_WHEN_IDLE);
        flags.addAll(
                List.of("-Xmx" + megabytes + "m", "-XX:+ExitOnOutOfMemoryError", SHORT_PAUSES));
        return flags;
    }

    private static int parse(String value) {
        try {
            int megabytes = Integer.parseInt(value);
            if (megabytes >= MIN_MB && megabytes <= MAX_MB) {
                return megabytes;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new CommandException(
                "Invalid %s \"%s\": expected a whole number of megabytes from %d to %d."
                        .formatted(NAME, value, MIN_MB, MAX_MB));
    }

    /** Returns empty for an unreadable file, which the server reports. */
    private static Optional<String> fromFile(DataDirectory data) {
        try {
            var file = data.path().resolve("config.json");
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
            return json.string(NAME).or(() -> json.raw(NAME).map(RawJson::toString));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private HeapSize() {}
}
