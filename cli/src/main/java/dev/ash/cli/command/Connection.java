package dev.ash.cli.command;

import dev.ash.protocol.Limits;
import dev.ash.sdk.AshClient;
import java.net.URI;
import java.util.Optional;

/**
 * Which server a command talks to and with which key. A key from a file goes only to the server
 * that it was made for, or stays on this machine: whoever sets {@code ASH_SERVER_URL} to another
 * host does not hand that host the keys of this one.
 */
public final class Connection {
    private final String url;
    private final boolean namedByEnvironment;
    private final Optional<String> key;
    private final String keyOrigin;

    private Connection(
            String url, boolean namedByEnvironment, Optional<String> key, String keyOrigin) {
        this.url = url;
        this.namedByEnvironment = namedByEnvironment;
        this.key = key;
        this.keyOrigin = keyOrigin;
    }

    public static Connection find(Host host) {
        var config = UserConfig.load(host);
        var told = host.variable("ASH_SERVER_URL", "");
        var url = told.isEmpty() ? config.serverUrl().orElse(Limits.DEFAULT_SERVER_URL) : told;
        var isConfigured = config.serverUrl().isPresent() && config.serverUrl().get().equals(url);
        var fromEnvironment = host.variable("ASH_API_KEY", "");
        if (!fromEnvironment.isEmpty()) {
            return new Connection(
                    url, !told.isEmpty(), Optional.of(fromEnvironment), "ASH_API_KEY");
        }
        if (isConfigured && config.apiKey().isPresent()) {
            return new Connection(url, !told.isEmpty(), config.apiKey(), config.file().toString());
        }
        if (!isLoopback(url)) {
            return new Connection(url, !told.isEmpty(), Optional.empty(), "");
        }
        var data = DataDirectory.lastUsed(host, config);
        var initial = data.initialApiKey();
        return initial.isPresent()
                ? new Connection(
                        url,
                        !told.isEmpty(),
                        initial,
                        data.path().resolve("initial-api-key").toString())
                : new Connection(url, !told.isEmpty(), config.apiKey(), config.file().toString());
    }

    public String url() {
        return url;
    }

    /** Whether there is any sense in starting a server where this one does not answer. */
    public boolean mayBeStarted() {
        return !namedByEnvironment && isLoopback(url);
    }

    public AshClient client() {
        return new AshClient(url, key.orElse(null)).from("cli");
    }

    /** What to do about a refused key. */
    public String keyAdvice() {
        return key.isEmpty()
                ? "No API key was found. Set ASH_API_KEY to a key of that server."
                : "The key came from %s. Set ASH_API_KEY to a key of that server."
                        .formatted(keyOrigin);
    }

    public static boolean isLoopback(String url) {
        try {
            var host = URI.create(url).getHost();
            return host != null
                    && (host.equals("localhost")
                            || host.equals("[::1]")
                            || host.matches("127\\.\\d+\\.\\d+\\.\\d+"));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
