package dev.ash.cli;

import dev.ash.sdk.AshClient;
import dev.ash.sdk.ServerUnreachableException;
import java.net.URI;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;

/** The server for a command: the one that runs, or one that is started for it. */
final class NeededServer {
    private NeededServer() {}

    static AshClient reach(AshCommand command) {
        var connection = command.connection();
        var client = connection.client();
        try {
            client.health();
            return client;
        } catch (ServerUnreachableException e) {
            if (!connection.mayBeStarted()) {
                throw e;
            }
        }
        start(command);
        return Connection.find(command.host).client(); // with the key that is known only now
    }

    private static void start(AshCommand command) {
        var host = command.host;
        var start = new ServerStart(host, data(host), settings(command));
        command.note("No server is running, so one is started; `ash stop` ends it.");
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

    /** A server that was configured to be at a port is started at that port. */
    private static Map<String, String> settings(AshCommand command) {
        var settings = new HashMap<String, String>();
        int port = URI.create(command.connection().url()).getPort();
        if (port > 0 && command.host.variable("ASH_PORT", "").isEmpty()) {
            settings.put("ASH_PORT", Integer.toString(port));
        }
        return settings;
    }
}
