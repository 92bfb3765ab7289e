package dev.ash.cli.command;

import dev.ash.protocol.Limits;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.Fingerprint;
import java.net.URI;
import java.util.Optional;
import java.util.Set;

/**
 * Which server a command talks to, with which key, and by which certificate it knows the server. A
 * key from a file goes only to the server that it was made for, or stays on this machine: whoever
 * sets {@code ASH_SERVER_URL} to another host does not hand that host the keys of this one.
 */
public final class Connection {
    private static final String FINGERPRINT = "ASH_SERVER_FINGERPRINT";

    private final String url;
    private final boolean namedByEnvironment;
    private final Key key;
    private final Set<Fingerprint> pinned;

    /** {@code origin}: where it was found. */
    private record Key(Optional<String> value, String origin) {}

    private Connection(String url, boolean namedByEnvironment, Key key, Set<Fingerprint> pinned) {
        this.url = url;
        this.namedByEnvironment = namedByEnvironment;
        this.key = key;
        this.pinned = pinned;
    }

    public static Connection find(Host host) {
        var config = UserConfig.load(host);
        var told = host.variable("ASH_SERVER_URL", "");
        var url = told.isEmpty() ? config.serverUrl().orElse(standardUrl(host)) : told;
        return new Connection(
                url, !told.isEmpty(), key(host, config, url), pinned(host, config, url));
    }

    /** The port that a server would be started on, if no file names another. */
    private static String standardUrl(Host host) {
        var port = host.variable("ASH_PORT", "0");
        return port.matches("[1-9][0-9]{0,4}")
                ? "http://localhost:" + port
                : Limits.DEFAULT_SERVER_URL;
    }

    private static Key key(Host host, UserConfig config, String url) {
        var fromEnvironment = host.variable("ASH_API_KEY", "");
        if (!fromEnvironment.isEmpty()) {
            return new Key(Optional.of(fromEnvironment), "ASH_API_KEY");
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
     * By variable, then by what the server on this machine says now, which follows a rotation, then
     * by the file. None: the certificate must be from an authority.
     */
    private static Set<Fingerprint> pinned(Host host, UserConfig config, String url) {
        var fromEnvironment = host.variable(FINGERPRINT, "");
        if (!fromEnvironment.isEmpty()) {
            if (!isTls(url)) {
                throw new Failure(
                        "%s is set, but %s is not encrypted. Set ASH_SERVER_URL to the https:// address of the server."
                                .formatted(FINGERPRINT, url));
            }
            return parsed(fromEnvironment, FINGERPRINT);
        }
        if (!isTls(url)) {
            return Set.of();
        }
        boolean configured = isConfigured(config, url);
        Optional<String> now =
                configured || isLoopback(url)
                        ? DataDirectory.lastUsed(host, config)
                                .fingerprint(URI.create(url).getPort())
                        : Optional.empty();
        var text = now.or(() -> configured ? config.serverFingerprint() : Optional.empty());
        return text.isPresent() ? parsed(text.get(), config.file().toString()) : Set.of();
    }

    private static Set<Fingerprint> parsed(String text, String origin) {
        try {
            return Fingerprint.parseAll(text);
        } catch (IllegalArgumentException e) {
            throw new Failure("%s (from %s)".formatted(e.getMessage(), origin));
        }
    }

    private static boolean isConfigured(UserConfig config, String url) {
        return config.serverUrl().isPresent() && config.serverUrl().get().equals(url);
    }

    public String url() {
        return url;
    }

    /** Whether there is any sense in starting a server where this one does not answer. */
    public boolean mayBeStarted() {
        return !namedByEnvironment && isLoopback(url);
    }

    public AshClient client() {
        var client = new AshClient(url, key.value().orElse(null)).from("cli");
        return pinned.isEmpty() ? client : client.pinnedTo(pinned);
    }

    /** What to do about a refused key. */
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
