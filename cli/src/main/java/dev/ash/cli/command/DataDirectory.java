package dev.ash.cli.command;

import dev.ash.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Where the server on this machine keeps its files. */
public record DataDirectory(Path path) {

    /** By {@code ASH_DATA_DIR}, or the place that suits the user. */
    public static DataDirectory standard(Host host) {
        var told = host.variable("ASH_DATA_DIR", "");
        if (!told.isEmpty()) {
            return new DataDirectory(host.resolve(told));
        }
        if (host.isRoot()) {
            return new DataDirectory(Path.of("/var/lib/ash"));
        }
        var share = host.variable("XDG_DATA_HOME", host.home().resolve(".local/share").toString());
        return new DataDirectory(Path.of(share).resolve("ash"));
    }

    /**
     * The one of the server that was last started by {@code ash start}, if nothing else is said.
     */
    public static DataDirectory lastUsed(Host host, UserConfig config) {
        var remembered = config.dataDir();
        return host.variable("ASH_DATA_DIR", "").isEmpty() && remembered.isPresent()
                ? new DataDirectory(Path.of(remembered.get()))
                : standard(host);
    }

    public Path log() {
        return path.resolve("server.log");
    }

    public Path pidFile() {
        return path.resolve("server.pid");
    }

    /** The certificate of the server that runs here on this port, if it speaks TLS. */
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

    /** The same certificate for other programs, readable by every user. */
    public Path certificate() {
        return path.resolve("tls-cert.pem");
    }

    public Optional<String> initialApiKey() {
        try {
            return Optional.of(Files.readString(path.resolve("initial-api-key")).strip())
                    .filter(key -> !key.isEmpty());
        } catch (IOException e) {
            return Optional.empty(); // no server has been here, or it belongs to another user
        }
    }

    /**
     * Lets pairs of the server that lives here use a repository, also while it runs. Tells whether
     * that is new; false, too, where this user may not say so, and the server will tell.
     */
    public boolean openToPairs(Path repository) {
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
            throw new Failure(
                    "%s cannot be opened to the server: %s: %s."
                            .formatted(line, file, IoReason.of(e)));
        }
    }

    /** Makes it so that sandboxes with a uid of their own can pass through, but nobody can look. */
    public void create() {
        try {
            if (!Files.isDirectory(path)) {
                Files.createDirectories(path);
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
            }
        } catch (IOException e) {
            throw new Failure(
                    "The data directory %s cannot be made (%s). Choose another with --data-dir or ASH_DATA_DIR."
                            .formatted(path, IoReason.of(e)));
        }
        if (!Files.isWritable(path)) {
            throw new Failure(
                    "The data directory %s cannot be written by this user. Choose another with --data-dir or ASH_DATA_DIR."
                            .formatted(path));
        }
    }
}
