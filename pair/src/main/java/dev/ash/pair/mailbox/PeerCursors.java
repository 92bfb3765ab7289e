package dev.ash.pair.mailbox;

import dev.ash.pair.PeerName;
import dev.ash.pair.run.PrivateFiles;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Stores up to which message each peer has acknowledged, in one file per peer: {@code
 * cursor-claude.json}.
 */
record PeerCursors(Path directory) {
    /**
     * Returns the acknowledged number; 0 if the file is missing or invalid, so that messages are
     * repeated, not lost.
     */
    long acked(PeerName peer) throws IOException {
        try {
            var object = JsonObject.parse(Files.readString(file(peer)));
            return Math.max(0, object.number("acked").orElse(0));
        } catch (NoSuchFileException | MalformedJsonException e) {
            return 0;
        }
    }

    /** Acknowledges up to a number, which never decreases. The caller must hold the lock. */
    long ack(PeerName peer, long seq) throws IOException {
        long before = acked(peer);
        if (seq <= before) {
            return before;
        }
        var json = JsonWriter.object().put("acked", seq).end();
        PrivateFiles.replace(file(peer), json.toBytes());
        return seq;
    }

    private Path file(PeerName peer) {
        return directory.resolve("cursor-" + peer + ".json");
    }
}
