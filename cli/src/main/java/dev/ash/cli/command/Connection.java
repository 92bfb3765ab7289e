package dev.ash.cli.command;

import dev.ash.protocol.Limits;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.Fingerprint;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/**
 * The server of a command, the API key and the pinned certificates. A key from a file is sent only
 * to the server for which it was written or to this machine, never to another host in {@code
 * ASH_SERVER_URL}.
 */
public final class Connection {
    private static final String FINGERPRINT = "ASH_SERVER_FINGERPRINT";

    private final String url;
    private final boolean fromEnvironment;
    private final Key key;
    private final Set<Fingerprint> pinned;

    /** An API key and the variable or file that it was read from. */
    private record Key(Optional<String> value, String origin) {}

    private Connection(String url, boolean fromEnvironment, Key key, Set<Fingerprint> pinned) {
        this.url = url;
        this.fromEnvironment = fromEnvironment;
        this.key = key;
        this.pinned = pinned;
    }

    public static Connection find(Host host) {
        var config = UserConfig.load(host);
        var variable = host.variable("ASH_SERVER_URL", "");
        var url = variable.isEmpty() ? config.serverUrl().orElse(defaultUrl(host)) : variable;
        return new Connection(
                url, !variable.isEmpty(), key(host, config, url), pinned(host, config, url));
    }

    /** Returns the URL of a server started with the default settings. */
    private static String defaultUrl(Host host) {
        var port = host.variable("ASH_PORT", "0");
        return port.matches("[1-9][0-9]{0,4}")
                ? "http://localhost:" + port
                : Limits.DEFAULT_SERVER_URL;
    }

    private static Key key(Host host, UserConfig config, String url) {
        var variable = host.variable("ASH_API_KEY", "");
        if (!variable.isEmpty()) {
            return new Key(Optional.of(variable), "ASH_API_KEY");
        }
        if (isConfigured(config, url) && config.apiKey().isPresent()) {
            return new Key(config.apiKey(), config.file().toString());
        }
        if (!isLoopback(url)) {
            return new Key(Optional.empty(), "");
        }
        var data = DataDirectory.lastUsed(host, config);
        var initial = data.initialApiKey();
        return initial.isPresent()
                ? new Key(initial, data.path().resolve("initial-api-key").toString())
                : new Key(config.apiKey(), config.file().toString());
    }

    /**
     * Returns the fingerprints from the variable, the running local server, which is current after
     * a rotation, or the file. If empty, the certificate must be from a trusted authority.
     */
    private static Set<Fingerprint> pinned(Host host, UserConfig config, String url) {
        var fromEnvironment = host.variable(FINGERPRINT, "");
        if (!fromEnvironment.isEmpty()) {
            if (!isTls(url)) {
                throw new CommandException(
                        "%s is set, but %s is not an https:// URL. Set ASH_SERVER_URL to the https:// URL of the server."
                                .formatted(FINGERPRINT, url));
            }
            return parse(fromEnvironment, FINGERPRINT);
        }
        if (!isTls(url)) {
            return Set.of();
        }
        boolean configured = isConfigured(config, url);
        Optional<String> current =
                configured || isLoopback(url)
                        ? DataDirectory.lastUsed(host, config)
                                .fingerprint(URI.create(url).getPort())
                        : Optional.empty();
        var text = current.or(() -> configured ? config.serverFingerprint() : Optional.empty());
        return text.isPresent() ? parse(text.get(), config.file().toString()) : Set.of();
    }

    private static Set<Fingerprint> parse(String text, String origin) {
        try {
            return Fingerprint.parseAll(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException("%s (from %s)".formatted(e.getMessage(), origin));
        }
    }

    private static boolean isConfigured(UserConfig config, String url) {
        return config.serverUrl().isPresent() && config.serverUrl().get().equals(url);
    }

    public String url() {
        return url;
    }

    /** Returns whether this is a local server that {@code ash} may start. */
    public boolean mayBeStarted() {
        return !fromEnvironment && isLoopback(url);
    }

    public AshClient client() {
        var client = new AshClient(url, key.value().orElse(null)).withSource("cli");
        return pinned.isEmpty() ? client : client.pinnedTo(pinned);
    }

    /** Returns a remedy for a rejected key. */
    public String keyAdvice() {
        return key.value().isEmpty()
                ? "No API key was found. Set ASH_API_KEY to a key of that server."
                : "The key came from %s. Set ASH_API_KEY to a key of that server."
                        .formatted(key.origin());
    }

    public static boolean isTls(String url) {
        return url.startsWith("https:");
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
