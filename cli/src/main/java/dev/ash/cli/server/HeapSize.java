package dev.ash.cli.server;

import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How much heap the server gets: {@code ASH_HEAP_MB}, found as every setting of the server is. */
final class HeapSize {
    static final String NAME = "ASH_HEAP_MB";
    private static final int DEFAULT_MB = 512;
    private static final int MIN_MB = 128;
    private static final int MAX_MB = 1024 * 1024;

    /**
     * Looking for classes to unload is most of a remark pause (25 of 35 ms), and finds none here.
     */
    private static final String SHORT_PAUSES = "-XX:-ClassUnloadingWithConcurrentMark";

    /** A server without memory is of no use; one that is started anew adopts its sandboxes. */
    static List<String> flags(Host host, DataDirectory data, Map<String, String> settings) {
        var told =
                Optional.ofNullable(settings.get(NAME))
                        .or(() -> Optional.of(host.variable(NAME, "")))
                        .filter(value -> !value.isBlank())
                        .or(() -> inFile(data))
                        .map(String::strip)
                        .filter(value -> !value.isEmpty());
        int megabytes = told.map(HeapSize::parse).orElse(DEFAULT_MB);
        return List.of("-Xmx" + megabytes + "m", "-XX:+ExitOnOutOfMemoryError", SHORT_PAUSES);
    }

    private static int parse(String value) {
        try {
            int megabytes = Integer.parseInt(value);
            if (megabytes >= MIN_MB && megabytes <= MAX_MB) {
                return megabytes;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw new Failure(
                "%s is \"%s\"; it must be a whole number of megabytes from %d to %d"
                        .formatted(NAME, value, MIN_MB, MAX_MB));
    }

    /** A file that cannot be read is the server's to complain about. */
    private static Optional<String> inFile(DataDirectory data) {
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
