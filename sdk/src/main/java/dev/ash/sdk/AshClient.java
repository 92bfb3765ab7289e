package dev.ash.sdk;

import dev.ash.protocol.rest.HealthResponse;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * An Ash server, with a method for each of its endpoints. Safe for use by any number of threads;
 * every call has its own connection, so there is nothing to close.
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
    private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);

    private static final Patience PATIENCE = Patience.of(Duration.ofMinutes(1));

    private final Settings settings;
    private final Calls calls;
    private final AgentsClient agents;
    private final SessionsClient sessions;
    private final ApprovalsClient approvals;
    private final CredentialsClient credentials;
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
            Duration answerTimeout,
            String source,
            Patience patience,
            AtomicBoolean reached,
            Set<Fingerprint> pinned) {}

    /** A null key is for servers that are only asked for their health. */
    public AshClient(String serverUrl, @Nullable String apiKey) {
        this(serverUrl, apiKey, CONNECT_TIMEOUT, ANSWER_TIMEOUT);
    }

    /** {@code answerTimeout} is how long the server may think before it begins to answer. */
    public AshClient(
            String serverUrl,
            @Nullable String apiKey,
            Duration connectTimeout,
            Duration answerTimeout) {
        this(
                new Settings(
                        parsed(serverUrl),
                        apiKey,
                        connectTimeout,
                        answerTimeout,
                        "sdk",
                        PATIENCE,
                        new AtomicBoolean(),
                        Set.of()));
        if (apiKey != null && !apiKey.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException(
                    "The API key has characters that no key has: spaces, line ends or non-ASCII.");
        }
    }

    private AshClient(Settings settings) {
        this.settings = settings;
        var server = settings.server();
        var path = server.getRawPath() == null ? "" : server.getRawPath();
        this.calls =
                new Calls(
                        new HttpTransport(
                                server,
                                settings.apiKey(),
                                settings.connectTimeout(),
                                settings.source(),
                                new Tls(server, settings.pinned())),
                        path.replaceAll("/+$", ""),
                        settings.answerTimeout(),
                        settings.patience(),
                        settings.reached());
        this.agents = new AgentsClient(calls);
        this.sessions = new SessionsClient(calls);
        this.approvals = new ApprovalsClient(calls);
        this.credentials = new CredentialsClient(calls);
        this.devices = new DevicesClient(calls);
        this.apiKeys = new ApiKeysClient(calls);
        this.pairs = new PairsClient(calls);
        this.secrets = new SecretsClient(calls);
        this.gateway = new GatewayClient(calls);
        this.hooks = new HooksClient(calls);
        this.mailboxes = new MailboxesClient(calls);
    }

    /**
     * The same server, with another patience for lost connections; by default it is a minute. A
     * server that has answered once and is not there any more counts as lost, too.
     */
    public AshClient with(Patience patience) {
        return new AshClient(
                new Settings(
                        settings.server(),
                        settings.apiKey(),
                        settings.connectTimeout(),
                        settings.answerTimeout(),
                        settings.source(),
                        patience,
                        settings.reached(),
                        settings.pinned()));
    }

    /**
     * The same server, told that the calls come through this door: {@code sdk} by default. It is
     * shown to others as the one that answered an approval.
     */
    public AshClient from(String source) {
        if (!source.matches("[a-z0-9-]{1,32}")) {
            throw new IllegalArgumentException(
                    "\"%s\" is no name of a source. It has 1 to 32 lower-case letters, digits and -."
                            .formatted(source));
        }
        return new AshClient(
                new Settings(
                        settings.server(),
                        settings.apiKey(),
                        settings.connectTimeout(),
                        settings.answerTimeout(),
                        source,
                        settings.patience(),
                        settings.reached(),
                        settings.pinned()));
    }

    /**
     * The same server, accepted by its certificate alone: the SHA-256 of the certificate must be
     * one of these, whatever its host name and authority. Give two while the certificate is about
     * to be replaced. The address must be https.
     */
    public AshClient pinnedTo(Set<Fingerprint> fingerprints) {
        if (!settings.server().getScheme().equals("https")) {
            throw new IllegalArgumentException(
                    "%s is not encrypted, so its certificate cannot be checked. Use https://."
                            .formatted(settings.server()));
        }
        if (fingerprints.isEmpty()) {
            throw new IllegalArgumentException("There is no fingerprint to accept.");
        }
        return new AshClient(
                new Settings(
                        settings.server(),
                        settings.apiKey(),
                        settings.connectTimeout(),
                        settings.answerTimeout(),
                        settings.source(),
                        settings.patience(),
                        settings.reached(),
                        Set.copyOf(fingerprints)));
    }

    /** The same with one fingerprint: 64 hex digits, with or without colons. */
    public AshClient pinnedTo(String fingerprint) {
        return pinnedTo(Set.of(Fingerprint.parse(fingerprint)));
    }

    public HealthResponse health() {
        return calls.get(Target.of("/health"), HealthResponse.class);
    }

    /** Figures of the server in the text format of Prometheus. */
    public String metrics() {
        return new String(calls.bytes(Target.of("/metrics")), StandardCharsets.UTF_8);
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

    private static URI parsed(String serverUrl) {
        try {
            var uri = URI.create(serverUrl.strip());
            var scheme = uri.getScheme();
            if (uri.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
                return uri;
            }
        } catch (IllegalArgumentException e) {
            // refused below
        }
        throw new IllegalArgumentException(
                "\"%s\" is not the address of a server. It looks like http://localhost:4100."
                        .formatted(serverUrl));
    }
}
