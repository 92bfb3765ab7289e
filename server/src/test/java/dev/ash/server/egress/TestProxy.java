package dev.ash.server.egress;

import dev.ash.protocol.SandboxId;
import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.Resolver;
import dev.ash.server.egress.http.TestClient;
import dev.ash.server.egress.http.TestUpstream;
import dev.ash.server.egress.model.CallBudget;
import dev.ash.server.egress.model.ModelAccess;
import dev.ash.server.egress.model.ModelApi;
import dev.ash.server.egress.model.ModelCredential;
import dev.ash.server.egress.model.ModelSetup;
import dev.ash.server.egress.model.ModelUsage;
import dev.ash.server.egress.model.Placeholders;
import dev.ash.server.egress.model.PriceTable;
import dev.ash.server.egress.policy.AddressRules;
import dev.ash.server.egress.policy.BlockedRequest;
import dev.ash.server.egress.policy.EgressPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocketFactory;

/** A proxy for one sandbox; records what its listener and its budget receive. */
final class TestProxy implements AutoCloseable {
    static final String REAL_KEY = "sk-real-CANARY-0123456789";
    static final EgressLimits LONG_TIMEOUTS =
            new EgressLimits(
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMillis(20),
                    64,
                    Duration.ofMinutes(1));
    static final Placeholders PLACEHOLDERS = new Placeholders(new byte[32]);

    final SandboxId sandbox = SandboxId.random();
    final Queue<BlockedRequest> blocked = new ConcurrentLinkedQueue<>();
    final Queue<ModelUsage> estimates = new ConcurrentLinkedQueue<>();
    final Queue<ModelUsage> usages = new ConcurrentLinkedQueue<>();
    volatile Optional<String> budgetError = Optional.empty();
    volatile Optional<ModelAccess> model = Optional.empty();
    ModelApi api = ModelApi.ANTHROPIC;
    List<String> providerTools = List.of();
    boolean strict;
    final Path directory;
    final EgressProxies proxies;

    /** Calls that are admitted and not settled. */
    final AtomicInteger inFlight = new AtomicInteger();

    final CallBudget budget =
            new CallBudget() {
                @Override
                public boolean limitsCost() {
                    return false;
                }

                @Override
                public Admission admit(ModelUsage estimate) {
                    estimates.add(estimate);
                    return budgetError
                            .<Admission>map(Admission.Rejected::new)
                            .orElseGet(() -> new Admission.Admitted(call()));
                }
            };

    /** Uses /tmp, because the length of socket paths is limited. */
    private TestProxy(EgressProxies proxies) throws IOException {
        this.proxies = proxies;
        this.directory = Files.createTempDirectory(Path.of("/tmp"), "ash-egress");
    }

    static TestProxy allowing(String... patterns) throws IOException {
        return with(LONG_TIMEOUTS, Resolver.system(), patterns);
    }

    static TestProxy with(EgressLimits limits, Resolver resolver, String... patterns)
            throws IOException {
        return with(limits, resolver, (SSLSocketFactory) SSLSocketFactory.getDefault(), patterns);
    }

    static TestProxy with(
            EgressLimits limits, Resolver resolver, SSLSocketFactory tls, String... patterns)
            throws IOException {
        var proxies =
                new EgressProxies(
                        PLACEHOLDERS,
                        limits,
                        List.of(patterns),
                        PriceTable::builtIn,
                        resolver,
                        new AddressRules(_ -> false),
                        () -> tls);
        var proxy = new TestProxy(proxies);
        proxies.open(proxy.sandbox, proxy.setup(List.of(patterns)));
        return proxy;
    }

    /** Starts a proxy whose operator allows some hosts and whose session requests others. */
    static TestProxy requesting(
            Resolver resolver, Collection<String> operator, Collection<String> requested)
            throws IOException {
        var proxy = with(LONG_TIMEOUTS, resolver, operator.toArray(String[]::new));
        proxy.proxies.open(proxy.sandbox, proxy.setup(requested));
        return proxy;
    }

    static TestProxy forModel(TestUpstream upstream) throws IOException {
        var proxy = allowing();
        proxy.model = access("http://127.0.0.1:" + upstream.port());
        return proxy;
    }

    static Optional<ModelAccess> access(String url) {
        return Optional.of(new ModelAccess(URI.create(url), new ModelCredential.ApiKey(REAL_KEY)));
    }

    EgressSetup setup(Collection<String> patterns) {
        return new EgressSetup(
                directory.resolve("egress"),
                EgressPolicy.requesting(patterns, false),
                new ModelSetup(api, () -> model, providerTools, strict, budget),
                Optional::empty,
                blocked::add);
    }

    /** Uses another API, whose base URL has a path. */
    void use(ModelApi other, TestUpstream upstream, String path, ModelCredential credential)
            throws IOException {
        api = other;
        var url = URI.create("http://127.0.0.1:%d%s".formatted(upstream.port(), path));
        model = Optional.of(new ModelAccess(url, credential));
        proxies.open(sandbox, setup(List.of()));
    }

    /** Sends a call with the placeholder as bearer token. */
    TestClient.Response call(String method, String target, String body) throws IOException {
        return send(
                "%s %s HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(method, target, placeholder(), body.length(), body));
    }

    private CallBudget.CallInFlight call() {
        inFlight.incrementAndGet();
        return new CallBudget.CallInFlight() {
            @Override
            public void settle(ModelUsage usage) {
                usages.add(usage);
                inFlight.decrementAndGet();
            }

            @Override
            public void release() {
                inFlight.decrementAndGet();
            }
        };
    }

    Path socket() {
        return directory.resolve("egress/proxy.sock");
    }

    String placeholder() {
        return PLACEHOLDERS.of(sandbox);
    }

    TestClient connect() throws IOException {
        return TestClient.connect(socket());
    }

    /** Sends a request on a new connection. */
    TestClient.Response send(String request) throws IOException {
        try (var client = connect()) {
            client.send(request);
            return client.response();
        }
    }

    TestClient.Response get(String target) throws IOException {
        return send("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    TestClient.Response callModel(String body) throws IOException {
        return send(modelCall(body));
    }

    String modelCall(String body) {
        return "POST /v1/messages?beta=true HTTP/1.1\r\nHost: model.ash.internal\r\nx-api-key: "
                + placeholder()
                + "\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body;
    }

    static Resolver resolving(String name, String... addresses) {
        var found = new ArrayList<InetAddress>();
        for (var address : addresses) {
            found.add(InetAddress.ofLiteral(address));
        }
        return requested -> requested.equals(name) ? found : List.of();
    }

    @Override
    public void close() throws IOException {
        proxies.close();
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
