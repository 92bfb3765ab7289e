package dev.ash.cli.doctor;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.cli.server.RunningServer;
import dev.ash.cli.terminal.Check;
import dev.ash.protocol.Limits;
import dev.ash.sdk.AshException;
import dev.ash.sdk.UntrustedServerException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;

/** Checks the server of this machine and its data directory. */
final class ServerChecks {
    private final Host host;
    private final DataDirectory data;

    ServerChecks(Host host) {
        this.host = host;
        this.data = DataDirectory.lastUsed(host, UserConfig.load(host));
    }

    Check dataDirectory() {
        var name = "data directory";
        var existing = nearestExisting(data.path());
        if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
            return Check.missing(
                    name,
                    "%s is not a writable directory".formatted(existing),
                    "Set ASH_DATA_DIR to a writable directory.");
        }
        var blocked = host.isRoot() ? blockedParent(existing) : Optional.<Path>empty();
        if (blocked.isPresent()) {
            return Check.missing(
                    name,
                    "other users cannot traverse %s, so sandboxes cannot access their files"
                            .formatted(blocked.get()),
                    "Set ASH_DATA_DIR to a directory such as /var/lib/ash, or: chmod o+x "
                            + blocked.get());
        }
        return Check.ok(name, data.path().toString());
    }

    Check server() {
        var connection = Connection.find(host);
        try {
            var health = connection.client().health();
            var isolation = health.isolation();
            var found = "version %s at %s".formatted(health.version(), connection.url());
            return isolation == null || isolation.missing() == null
                    ? Check.ok("server", found)
                    : Check.weak(
                            "server",
                            "%s; isolation %s: %s"
                                    .formatted(found, isolation.kind(), isolation.missing()),
                            IsolationRemedies.of(isolation.missing()));
        } catch (UntrustedServerException e) {
            return Check.weak("server", "not trusted at " + connection.url(), e.getMessage());
        } catch (AshException | IllegalArgumentException e) {
            return Check.weak(
                    "server", "no response at " + connection.url(), "Start one: ash start");
        }
    }

    /** Ash runs without them, but does not enforce limits. */
    Check controlGroups(SystemFiles files) {
        var process = RunningServer.find(data).map(found -> Long.toString(found.pid()));
        var check = new ResourceChecks(files, process.orElse("self")).controlGroups();
        var advice = check.advice();
        return advice == null ? check : Check.weak(check.name(), check.found(), advice);
    }

    Check port() {
        var running = RunningServer.find(data);
        if (running.isPresent()) {
            return Check.ok("port", running.get().port() + " is used by Ash");
        }
        var port = host.variable("ASH_PORT", Integer.toString(Limits.DEFAULT_PORT));
        try (var probe = new ServerSocket()) {
            probe.bind(
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), Integer.parseInt(port)));
            return Check.ok("port", port + " is free");
        } catch (NumberFormatException e) {
            return Check.missing("port", "ASH_PORT is " + port, "Set it to a port number.");
        } catch (IOException | IllegalArgumentException e) {
            return Check.weak(
                    "port",
                    port + " is used by another program",
                    "Start Ash on another port: ash start --port 4101");
        }
    }

    /** Returns the directory itself, or its nearest existing parent. */
    private static Path nearestExisting(Path directory) {
        var path = directory.toAbsolutePath();
        while (!Files.exists(path) && path.getParent() != null) {
            path = path.getParent();
        }
        return path;
    }

    private static Optional<Path> blockedParent(Path directory) {
        for (Path path = directory; path != null; path = path.getParent()) {
            try {
                if (!Files.getPosixFilePermissions(path)
                        .contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return Optional.of(path);
                }
            } catch (IOException e) {
                return Optional.of(path);
            }
        }
        return Optional.empty();
    }
}
