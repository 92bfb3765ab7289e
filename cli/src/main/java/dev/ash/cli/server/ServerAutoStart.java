package dev.ash.cli.server;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.ServerUnreachableException;
import java.net.URI;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Connects to the server, and starts a local one if none is running. */
public final class ServerAutoStart {
    private ServerAutoStart() {}

    public static AshClient connect(Host host, Connection connection, Consumer<String> note) {
        var client = connection.client();
        try {
            client.health();
            return client;
        } catch (ServerUnreachableException e) {
            if (!connection.mayBeStarted()) {
                throw e;
            }
        }
        start(host, connection, note);
        return Connection.find(host).client(); // with the key of the new server
    }

    private static void start(Host host, Connection connection, Consumer<String> note) {
        var start = new ServerStart(host, data(host), settings(host, connection));
        note.accept("No server is running; starting one. Stop it with `ash stop`.");
        try {
            start.saveToConfig(start.startInBackground());
        } catch (CommandException failure) {
            // Of two concurrent starts one fails; use the other's server.
            try {
                Connection.find(host).client().health();
            } catch (ServerUnreachableException e) {
                throw failure;
            }
        }
    }

    private static DataDirectory data(Host host) {
        var last = DataDirectory.lastUsed(host, UserConfig.load(host));
        return Files.isDirectory(last.path()) ? last : DataDirectory.defaultFor(host);
    }

    /** Returns settings that keep the configured port and TLS. */
    private static Map<String, String> settings(Host host, Connection connection) {
        var settings = new HashMap<String, String>();
        int port = URI.create(connection.url()).getPort();
        if (port > 0 && host.variable("ASH_PORT", "").isEmpty()) {
            settings.put("ASH_PORT", Integer.toString(port));
        }
        if (Connection.isTls(connection.url()) && host.variable("ASH_TLS", "").isEmpty()) {
            settings.put("ASH_TLS", "on");
        }
        return settings;
    }
}
