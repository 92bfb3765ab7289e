package dev.ash.cli.command;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;

/** The user's configuration file {@code ~/.ash/config.json}: server, key and data directory. */
public final class UserConfig {
    private final Path file;
    private final JsonObject values;

    private UserConfig(Path file, JsonObject values) {
        this.file = file;
        this.values = values;
    }

    public static UserConfig load(Host host) {
        var file = host.home().resolve(".ash/config.json");
        try {
            return new UserConfig(file, JsonObject.parse(Files.readString(file)));
        } catch (NoSuchFileException e) {
            return new UserConfig(file, empty());
        } catch (MalformedJsonException e) {
            throw new CommandException(
                    "%s is not a JSON object (%s). Correct it, or delete it and run `ash start` again."
                            .formatted(file, e.getMessage()));
        } catch (IOException e) {
            return new UserConfig(file, empty()); // not readable by this user: same as absent
        }
    }

    public Path file() {
        return file;
    }

    Optional<String> serverUrl() {
        return value("server_url");
    }

    Optional<String> serverFingerprint() {
        return value("server_fingerprint");
    }

    Optional<String> apiKey() {
        return value("api_key");
    }

    Optional<String> dataDir() {
        return value("data_dir");
    }

    /** Sets these values, removes empty ones, keeps all others; readable only by its owner. */
    public void save(Map<String, String> changes) throws IOException {
        var json = JsonWriter.object();
        for (var name : values.names()) {
            if (!changes.containsKey(name)) {
                json.put(name, values.raw(name).orElse(null));
            }
        }
        changes.forEach(
                (name, value) -> {
                    if (!value.isEmpty()) {
                        json.put(name, value);
                    }
                });
        var directory = file.resolveSibling(".");
        Files.createDirectories(directory);
        var temporary =
                Files.createTempFile(
                        directory,
                        "config",
                        ".json",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(temporary, json.end() + "\n");
        Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private Optional<String> value(String name) {
        try {
            return values.string(name).filter(text -> !text.isEmpty());
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    private static JsonObject empty() {
        try {
            return JsonObject.parse("{}");
        } catch (MalformedJsonException e) {
            throw new AssertionError(e);
        }
    }
}
