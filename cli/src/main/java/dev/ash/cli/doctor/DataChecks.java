package dev.ash.cli.doctor;

import dev.ash.cli.command.Host;
import dev.ash.cli.server.RunningServer;
import dev.ash.cli.terminal.Check;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the permissions of the server's files and the server's settings. */
final class DataChecks {
    private static final List<String> SECRETS =
            List.of(
                    "sealing-key",
                    "initial-api-key",
                    "hook-token",
                    "hook-token.previous",
                    "gateway.p12",
                    "gateway.p12.next",
                    "ash.db");
    private static final int OTHERS_WRITE = 0002;
    private static final int GROUP_AND_OTHERS = 0077;
    private static final int STICKY = 01000;

    private final Host host;
    private final Path data;

    DataChecks(Host host, Path data) {
        this.host = host;
        this.data = data.toAbsolutePath().normalize();
    }

    Check directory() {
        var name = "data directory";
        var mode = mode(data);
        if (mode.isEmpty()) {
            return Check.ok(name, data + " does not exist yet");
        }
        if ((mode.get() & 0066) != 0) {
            return Check.missing(
                    name, "other users can list or write " + data, "chmod 711 " + data);
        }
        for (var parent = data.getParent(); parent != null; parent = parent.getParent()) {
            int above = mode(parent).orElse(0);
            if ((above & OTHERS_WRITE) != 0 && (above & STICKY) == 0) {
                return Check.missing(
                        name,
                        "every user can replace directories in %s, and therefore %s"
                                .formatted(parent, data),
                        "chmod o-w " + parent);
            }
        }
        return Check.ok(name, "only its owner can list or write " + data);
    }

    Check keyFiles() {
        var open = new ArrayList<String>();
        for (var secret : SECRETS) {
            var file = data.resolve(secret);
            if ((mode(file).orElse(0) & GROUP_AND_OTHERS) != 0) {
                open.add(file.toString());
            }
        }
        return open.isEmpty()
                ? Check.ok("key files", "no other user can read them")
                : Check.missing(
                        "key files",
                        "other users may read or write " + String.join(", ", open),
                        "chmod 600 " + String.join(" ", open));
    }

    Check requiresIsolation() {
        var value = setting("ASH_REQUIRE_ISOLATION").orElse("0");
        return value.equals("1") || value.equals("true")
                ? Check.ok("required isolation", "ASH_REQUIRE_ISOLATION is set")
                : Check.weak(
                        "required isolation",
                        "the server starts even if isolation or limits are missing",
                        "Set ASH_REQUIRE_ISOLATION=1 for the server.");
    }

    /** Checks the address of the running server, or the configured one. */
    Check address(Optional<RunningServer> running) {
        var address =
                running.map(RunningServer::listensOn)
                        .or(() -> setting("ASH_HOST"))
                        .orElse("127.0.0.1");
        var tls = running.map(RunningServer::tls).or(() -> setting("ASH_TLS")).orElse("off");
        boolean loopback =
                address.startsWith("127.") || address.equals("::1") || address.equals("localhost");
        if (loopback) {
            return Check.ok("address", "the API listens on " + address + " only");
        }
        return switch (tls) {
            case "on" -> Check.ok("address", "the API listens on %s with TLS".formatted(address));
            case "proxy" ->
                    Check.ok(
                            "address",
                            "the API listens on %s for a proxy that terminates TLS (ASH_TLS=proxy); only that proxy should reach it"
                                    .formatted(address));
            default ->
                    Check.weak(
                            "address",
                            "the API listens on %s, without TLS".formatted(address),
                            "Set ASH_TLS=on, or ASH_HOST=127.0.0.1.");
        };
    }

    /** Reads a setting like the server, whose environment may differ from this one. */
    private Optional<String> setting(String name) {
        var variable = host.variable(name, "");
        if (!variable.isEmpty()) {
            return Optional.of(variable);
        }
        try {
            var json =
                    JsonObject.parse(new RawJson(Files.readAllBytes(data.resolve("config.json"))));
            return json.raw(name).map(raw -> raw.toString().replace("\"", ""));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Integer> mode(Path file) {
        try {
            return Optional.of(
                    (Integer) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS));
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }
}
