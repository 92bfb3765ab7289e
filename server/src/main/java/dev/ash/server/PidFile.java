package dev.ash.server;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.store.PrivateFile;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The file {@code server.pid}, from which the command line reads the address and the certificate
 * fingerprint of the server that uses a data directory.
 */
record PidFile(Path file) implements AutoCloseable {
    static PidFile write(
            Path file, String host, int port, Optional<String> fingerprint, String tls, long now)
            throws IOException {
        var json =
                JsonWriter.object()
                        .put("pid", ProcessHandle.current().pid())
                        .put("host", host)
                        .put("port", port)
                        .put("version", Version.current())
                        .put("tls", tls)
                        .put("fingerprint", fingerprint.orElse(null))
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
