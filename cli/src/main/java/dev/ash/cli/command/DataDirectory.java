package dev.ash.cli.command;

import dev.ash.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** The data directory of the server on this machine. */
public record DataDirectory(Path path) {

    /** Returns {@code ASH_DATA_DIR} or the default directory of the user. */
    public static DataDirectory defaultFor(Host host) {
        var variable = host.variable("ASH_DATA_DIR", "");
        if (!variable.isEmpty()) {
            return new DataDirectory(host.resolve(variable));
        }
        if (host.isRoot()) {
            return new DataDirectory(Path.of("/var/lib/ash"));
        }
        var share = host.variable("XDG_DATA_HOME", host.home().resolve(".local/share").toString());
        return new DataDirectory(Path.of(share).resolve("ash"));
    }

    /**
     * Returns {@code ASH_DATA_DIR}, or the directory of the last {@code ash start}, or the default.
     */
    public static DataDirectory lastUsed(Host host, UserConfig config) {
        var last = config.dataDir();
        return host.variable("ASH_DATA_DIR", "").isEmpty() && last.isPresent()
                ? new DataDirectory(Path.of(last.get()))
                : defaultFor(host);
    }

    public Path log() {
        return path.resolve("server.log");
    }

    public Path pidFile() {
        return path.resolve("server.pid");
    }

    /** Returns the certificate fingerprint of the server running here on this port with TLS. */
    Optional<String> fingerprint(int port) {
        try {
            var file = JsonObject.parse(Files.readString(pidFile()));
            return file.integer("port").orElse(-1) == port
                    ? file.string("fingerprint")
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // no server runs here, or it belongs to another user
        }
    }

    /** Returns the file with the server's certificate, readable by every user. */
    public Path certificate() {
        return path.resolve("tls-cert.pem");
    }

    public Optional<String> initialApiKey() {
        try {
            return Optional.of(Files.readString(path.resolve("initial-api-key")).strip())
                    .filter(key -> !key.isEmpty());
        } catch (IOException e) {
            return Optional.empty(); // no server was started here, or it belongs to another user
        }
    }

    /**
     * Allows pairs of the server to use a repository, effective immediately. Returns whether the
     * repository was added; also false if this user may not write here, which the server reports.
     */
    public boolean allowPairs(Path repository) {
        var file = path.resolve("pair-repositories");
        var line = repository.toString();
        try {
            if (line.lines().count() != 1
                    || !Files.isWritable(path)
                    || (Files.exists(file) && Files.readAllLines(file).contains(line))) {
                return false;
            }
            Files.writeString(
                    file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            return true;
        } catch (IOException e) {
            throw new CommandException(
                    "Cannot add %s to %s: %s.".formatted(line, file, IoReason.of(e)));
        }
    }

    /** Creates it with permissions to traverse for sandbox users, but not to list. */
    public void create() {
        try {
            if (!Files.isDirectory(path)) {
                Files.createDirectories(path);
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
            }
        } catch (IOException e) {
            throw new CommandException(
                    "Cannot create the data directory %s (%s). Choose another with --data-dir or ASH_DATA_DIR."
                            .formatted(path, IoReason.of(e)));
        }
        if (!Files.isWritable(path)) {
            throw new CommandException(
                    "The data directory %s is not writable by this user. Choose another with --data-dir or ASH_DATA_DIR."
                            .formatted(path));
        }
    }
}
