package dev.ash.sdk;

import dev.ash.protocol.rest.HealthResponse;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Client for the REST API of an Ash server, with a method for each endpoint. Thread-safe. Every
 * call uses its own connection, so the client need not be closed.
 *
 * <pre>{@code
 * var ash = new AshClient("http://localhost:4100", key);
 * ash.agents().deploy("hello", Path.of("hello-agent"));
 * var session = ash.sessions().create("hello");
 * try (var events = ash.sessions().send(session.id(), "hello")) {
 *     for (var event : events) { … }
 * }
 * }</pre>
 */
public final class AshClient {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMinutes(2);

    private static final ReconnectPolicy DEFAULT_POLICY = ReconnectPolicy.of(Duration.ofMinutes(1));

    private final Settings settings;
    private final RestClient rest;
    private final AgentsClient agents;
    private final SessionsClient sessions;
    private final ApprovalsClient approvals;
    private final CredentialsClient credentials;
    private final EnginesClient engines;
    private final DevicesClient devices;
    private final ApiKeysClient apiKeys;
    private final PairsClient pairs;
    private final SecretsClient secrets;
    private final GatewayClient gateway;
    private final HooksClient hooks;
    private final MailboxesClient mailboxes;

    private record Settings(
            URI server,
            @Nullable String apiKey,
            Duration connectTimeout,
            Duration responseTimeout,
            String source,
            ReconnectPolicy reconnectPolicy,
            AtomicBoolean serverReached,
            Set<Fingerprint> pinned) {}

    /** {@code apiKey} may be null if only {@link #health} is called. */
    public AshClient(String serverUrl, @Nullable String apiKey) {
        this(serverUrl, apiKey, CONNECT_TIMEOUT, RESPONSE_TIMEOUT);
    }

    /** {@code responseTimeout} is the maximum time until a response begins. */
    public AshClient(
            String serverUrl,
            @Nullable String apiKey,
            Duration connectTimeout,
            Duration responseTimeout) {
        this(
                new Settings(
                        parse(serverUrl),
                        apiKey,
                        connectTimeout,
                        responseTimeout,
                        "sdk",
                        DEFAULT_POLICY,
                        new AtomicBoolean(),
                        Set.of()));
        if (apiKey != null && !apiKey.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "The API key contains spaces, line breaks or non-ASCII characters.");
        }
    }

    private AshClient(Settings settings) {
        this.settings = settings;
        var server = settings.server();
        var path = server.getRawPath() == null ? "" : server.getRawPath();
        this.rest =
                new RestClient(
                        new HttpTransport(
                                server,
                                settings.apiKey(),
                                settings.connectTimeout(),
                                settings.source(),
                                new Tls(server, settings.pinned())),
                        path.replaceAll("/+$", ""),
                        settings.responseTimeout(),
                        settings.reconnectPolicy(),
                        settings.serverReached());
        this.agents = new AgentsClient(rest);
        this.sessions = new SessionsClient(rest);
        this.approvals = new ApprovalsClient(rest);
        this.credentials = new CredentialsClient(rest);
        this.engines = new EnginesClient(rest);
        this.devices = new DevicesClient(rest);
        this.apiKeys = new ApiKeysClient(rest);
        this.pairs = new PairsClient(rest);
        this.secrets = new SecretsClient(rest);
        this.gateway = new GatewayClient(rest);
        this.hooks = new HooksClient(rest);
        this.mailboxes = new MailboxesClient(rest);
    }

    /**
     * Returns a client with this reconnect policy instead of the default of one minute. A server
     * that responded before and is unreachable now counts as a lost connection.
     */
    public AshClient with(ReconnectPolicy reconnectPolicy) {
        return new AshClient(
                new Settings(
                        settings.server(),
                        settings.apiKey(),
                        settings.connectTimeout(),
                        settings.responseTimeout(),
                        settings.source(),
                        reconnectPolicy,
                        settings.serverReached(),
                        settings.pinned()));
    }

    /**
     * Returns a client that identifies itself with this source ({@code sdk} by default). The server
     * shows the source of the answer to an approval.
     */
    public AshClient withSource(String source) {
        if (!source.matches("[a-z0-9-]{1,32}")) {
            throw new IllegalArgumentException(
                    "Invalid source \"%s\": expected 1 to 32 characters of a-z, 0-9 and -."
                            .formatted(source));
        }
        return new AshClient(
                new Settings(
                        settings.server(),
                        settings.apiKey(),
                        settings.connectTimeout(),
                        settings.responseTimeout(),
                        source,
                        settings.reconnectPolicy(),
                        settings.serverReached(),
                        settings.pinned()));
    }

    /**
     * Returns a client that accepts only server certificates with one of these SHA-256
     * fingerprints, regardless of host name and authority. Pin two while a certificate is being
     * replaced. The server URL must be https.
     */
    public AshClient pinnedTo(Set<Fingerprint> fingerprints) {
        if (!settings.server().getScheme().equals("https")) {
            throw new IllegalArgumentException(
                    "A certificate can be pinned only for an https:// URL, not for %s."
                            .formatted(settings.server()));
        }
        if (fingerprints.isEmpty()) {
            throw new IllegalArgumentException("At least one fingerprint is required.");
        }
        return new AshClient(
                new Settings(
                        settings.server(),
                        settings.apiKey(),
                        settings.connectTimeout(),
                        settings.responseTimeout(),
                        settings.source(),
                        settings.reconnectPolicy(),
                        settings.serverReached(),
                        Set.copyOf(fingerprints)));
    }

    /** Pins one fingerprint: 64 hex digits, with or without colons. */
    public AshClient pinnedTo(String fingerprint) {
        return pinnedTo(Set.of(Fingerprint.parse(fingerprint)));
    }

    public HealthResponse health() {
        return rest.health();
    }

    /** Returns the server's metrics in the Prometheus text format. */
    public String metrics() {
        return new String(rest.bytes(ApiPath.of("/metrics")), StandardCharsets.UTF_8);
    }

    public AgentsClient agents() {
        return agents;
    }

    public SessionsClient sessions() {
        return sessions;
    }

    public ApprovalsClient approvals() {
        return approvals;
    }

    public CredentialsClient credentials() {
        return credentials;
    }

    public EnginesClient engines() {
        return engines;
    }

    public DevicesClient devices() {
        return devices;
    }

    public ApiKeysClient apiKeys() {
        return apiKeys;
    }

    public PairsClient pairs() {
        return pairs;
    }

    public SecretsClient secrets() {
        return secrets;
    }

    public GatewayClient gateway() {
        return gateway;
    }

    public HooksClient hooks() {
        return hooks;
    }

    public MailboxesClient mailboxes() {
        return mailboxes;
    }

    private static URI parse(String serverUrl) {
        try {
            var uri = URI.create(serverUrl.strip());
            var scheme = uri.getScheme();
            if (uri.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // rejected below
        }
        throw new IllegalArgumentException(
                "Invalid server URL \"%s\": expected a URL such as http://localhost:4100."
                        .formatted(serverUrl));
    }
}
