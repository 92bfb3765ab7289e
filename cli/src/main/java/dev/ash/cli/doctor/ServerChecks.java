package dev.ash.cli.doctor;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.cli.server.RunningServer;
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

/** Looks at the server of this machine and the place for its data. */
final class ServerChecks {
    private final Host host;
    private final DataDirectory data;

    ServerChecks(Host host) {
        this.host = host;
        this.data = DataDirectory.lastUsed(host, UserConfig.load(host));
    }

    Check dataDirectory() {
        var name = "data directory";
        var existing = existing(data.path());
        if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
            return Check.missing(
                    name,
                    "%s cannot be written".formatted(existing),
                    "Set ASH_DATA_DIR to a folder that can.");
        }
        var blocked = host.isRoot() ? blockedParent(existing) : Optional.<Path>empty();
        if (blocked.isPresent()) {
            return Check.missing(
                    name,
                    "%s lets no other user pass, so sandboxes cannot reach their files"
                            .formatted(blocked.get()),
                    "Set ASH_DATA_DIR to a place like /var/lib/ash, or: chmod o+x "
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
            return Check.weak("server", "not trusted at " + connection.url(), e.message());
        } catch (AshException | IllegalArgumentException e) {
            return Check.weak(
                    "server", "none answers at " + connection.url(), "Start one: ash start");
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
        var told = host.variable("ASH_PORT", Integer.toString(Limits.DEFAULT_PORT));
        try (var probe = new ServerSocket()) {
            probe.bind(
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), Integer.parseInt(told)));
            return Check.ok("port", told + " is free");
        } catch (NumberFormatException e) {
            return Check.missing("port", "ASH_PORT is " + told, "Set it to a number.");
        } catch (IOException | IllegalArgumentException e) {
            return Check.weak(
                    "port",
                    told + " is used by another program",
                    "Start Ash on another: ash start --port 4101");
        }
    }

    /** The folder itself, or the nearest one above it, in which it would be made. */
    private static Path existing(Path folder) {
        var place = folder.toAbsolutePath();
        while (!Files.exists(place) && place.getParent() != null) {
            place = place.getParent();
        }
        return place;
    }

    private static Optional<Path> blockedParent(Path folder) {
        for (Path place = folder; place != null; place = place.getParent()) {
            try {
                if (!Files.getPosixFilePermissions(place)
                        .contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return Optional.of(place);
                }
            } catch (IOException e) {
                return Optional.of(place);
            }
        }
        return Optional.empty();
    }
}
