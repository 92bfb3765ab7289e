package dev.ash.server;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.store.PrivateFile;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code server.pid}: how the command line finds the server that runs on a data directory. */
record PidFile(Path file) implements AutoCloseable {
    static PidFile write(Path file, String host, int port, String version, long now)
            throws IOException {
        var json =
                JsonWriter.object()
                        .put("pid", ProcessHandle.current().pid())
                        .put("host", host)
                        .put("port", port)
                        .put("version", version)
                        .put("startedAt", Timestamps.iso(now))
                        .end();
        PrivateFile.write(file, json.toBytes());
        return new PidFile(file);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
    }
}
