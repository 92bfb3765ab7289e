package dev.ash.sandbox.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.CRC32;

/**
 * Hashes the inputs of a shared directory for its name, so that new content never replaces content
 * in use.
 */
final class InputHash {
    private final MessageDigest digest;

    InputHash() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // required of every Java platform
        }
    }

    InputHash add(String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        return this;
    }

    /**
     * Adds name, size and checksum. A cold JVM computes a CRC in a fiftieth of the time of a
     * digest, and the files are those of the operator.
     */
    InputHash addContent(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        var checksum = new CRC32();
        checksum.update(bytes);
        return add(file.getFileName().toString())
                .add(Integer.toString(bytes.length))
                .add(Long.toString(checksum.getValue()));
    }

    /** Adds path, size and time: sufficient for programs too large to read at every start. */
    InputHash addIdentity(Path path) throws IOException {
        return add(path.toString())
                .add(Long.toString(Files.size(path)))
                .add(Files.getLastModifiedTime(path).toString());
    }

    String hex() {
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }
}
