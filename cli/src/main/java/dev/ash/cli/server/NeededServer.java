package dev.ash.cli.server;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.ServerUnreachableException;
import java.net.URI;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The server for a command: the one that runs, or one that is started for it. */
public final class NeededServer {
    private NeededServer() {}

    public static AshClient reach(Host host, Connection connection, Consumer<String> note) {
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
        return Connection.find(host).client(); // with the key that is known only now
    }

    private static void start(Host host, Connection connection, Consumer<String> note) {
        var start = new ServerStart(host, data(host), settings(host, connection));
        note.accept("No server is running, so one is started; `ash stop` ends it.");
        try {
            start.remember(start.inBackground());
        } catch (Failure failure) {
            // Two commands at once start two servers, of which one must fail; any that answers will
            // do.
            try {
                Connection.find(host).client().health();
            } catch (ServerUnreachableException e) {
                throw failure;
            }
        }
    }

    private static DataDirectory data(Host host) {
        var last = DataDirectory.lastUsed(host, UserConfig.load(host));
        return Files.isDirectory(last.path()) ? last : DataDirectory.standard(host);
    }

    /** A server that was configured to be at a port, with TLS, is started there, with TLS. */
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
