package dev.ash.sandbox.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Names a folder after what is in it, so that something new never overwrites something in use. */
final class Fingerprint {
    private final MessageDigest digest;

    Fingerprint() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    Fingerprint text(String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        return this;
    }

    Fingerprint content(Path file) throws IOException {
        digest.update(Files.readAllBytes(file));
        return text(file.getFileName().toString());
    }

    /** Path, size and time: enough for programs too large to be read at every start. */
    Fingerprint identity(Path path) throws IOException {
        return text(path.toString())
                .text(Long.toString(Files.size(path)))
                .text(Files.getLastModifiedTime(path).toString());
    }

    String hex() {
        return HexFormat.of().formatHex(digest.digest(), 0, 8);
    }
}
