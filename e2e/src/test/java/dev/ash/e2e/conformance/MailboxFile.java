package dev.ash.e2e.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes {@code bridge.jsonl} as another program would, written from document 002. */
record MailboxFile(Path path) {
    private static final JsonMapper MAPPER = new JsonMapper();

    /** Returns the only mailbox below this home directory. */
    static MailboxFile below(Path home) {
        try (var files = Files.walk(home.resolve(".agentpair/runs"))) {
            return new MailboxFile(
                    files.filter(file -> file.endsWith("bridge.jsonl"))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("no bridge.jsonl")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String text() {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<JsonNode> messages() {
        return text().lines().map(MAPPER::readTree).toList();
    }

    /** Returns the last message with this content. */
    JsonNode last(String content) {
        return messages().stream()
                .filter(message -> message.path("content").asString().equals(content))
                .reduce((_, second) -> second)
                .orElseThrow(() -> new AssertionError("no message: " + content));
    }

    /** Appends whole lines in one write. */
    void append(String lines) {
        try {
            Files.write(path, (lines + "\n").getBytes(UTF_8), StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Implements the document's {@code GenerateID}. */
    static String generateId(String type, String from, String to, String content) {
        try {
            var hash = MessageDigest.getInstance("SHA-256");
            hash.update(type.getBytes(UTF_8));
            hash.update(from.getBytes(UTF_8));
            hash.update(to.getBytes(UTF_8));
            hash.update(content.getBytes(UTF_8));
            return HexFormat.of().formatHex(hash.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    static String generateId(JsonNode message) {
        return generateId(
                message.path("type").asString(),
                message.path("from").asString(),
                message.path("to").asString(),
                message.path("content").asString());
    }
}
