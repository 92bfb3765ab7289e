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
import dev.ash.server.egress.model.request.RequestPolicy;
import dev.ash.server.egress.policy.AddressRules;
import dev.ash.server.egress.policy.Blocked;
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

/** A proxy for one sandbox, with all that it said to its listener. */
final class TestProxy implements AutoCloseable {
    static final String REAL_KEY = "sk-real-CANARY-0123456789";
    static final EgressLimits PATIENT =
            new EgressLimits(
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(1),
                    Duration.ofMillis(20),
                    64,
                    Duration.ofMinutes(1));
    static final Placeholders PLACEHOLDERS = new Placeholders(new byte[32]);

    final SandboxId sandbox = SandboxId.random();
    final Queue<Blocked> blocked = new ConcurrentLinkedQueue<>();
    final Queue<ModelUsage> estimates = new ConcurrentLinkedQueue<>();
    final Queue<ModelUsage> used = new ConcurrentLinkedQueue<>();
    volatile Optional<String> overBudget = Optional.empty();
    volatile Optional<ModelAccess> model = Optional.empty();
    ModelApi api = ModelApi.ANTHROPIC;
    List<String> providerTools = List.of();
    boolean strict;
    final Path folder;
    final EgressProxies proxies;

    /** Calls that were admitted and not settled yet. */
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
                    return overBudget
                            .<Admission>map(Admission.Rejected::new)
                            .orElseGet(() -> new Admission.Admitted(call()));
                }
            };

    /** In /tmp, for the path of a socket is short. */
    private TestProxy(EgressProxies proxies) throws IOException {
        this.proxies = proxies;
        this.folder = Files.createTempDirectory(Path.of("/tmp"), "ash-egress");
    }

    static TestProxy allowing(String... patterns) throws IOException {
        return with(PATIENT, Resolver.system(), patterns);
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
                        resolver,
                        new AddressRules(_ -> false),
                        () -> tls);
        var proxy = new TestProxy(proxies);
        proxies.open(proxy.sandbox, proxy.setup(List.of(patterns)));
        return proxy;
    }

    /** A proxy whose operator allows some hosts and whose session asks for others. */
    static TestProxy requesting(
            Resolver resolver, Collection<String> operator, Collection<String> requested)
            throws IOException {
        var proxy = with(PATIENT, resolver, operator.toArray(String[]::new));
        proxy.proxies.open(proxy.sandbox, proxy.setup(requested));
        return proxy;
    }

    static TestProxy ofModel(TestUpstream upstream) throws IOException {
        var proxy = allowing();
        proxy.model = access("http://127.0.0.1:" + upstream.port());
        return proxy;
    }

    static Optional<ModelAccess> access(String url) {
        return Optional.of(new ModelAccess(URI.create(url), new ModelCredential.ApiKey(REAL_KEY)));
    }

    EgressSetup setup(Collection<String> patterns) {
        return new EgressSetup(
                folder.resolve("egress"),
                EgressPolicy.requesting(patterns, false),
                new ModelSetup(
                        api,
                        () -> model,
                        new RequestPolicy(api.provider(), providerTools, strict),
                        budget),
                Optional::empty,
                blocked::add);
    }

    private CallBudget.CallInFlight call() {
        inFlight.incrementAndGet();
        return new CallBudget.CallInFlight() {
            @Override
            public void settle(ModelUsage usage) {
                used.add(usage);
                inFlight.decrementAndGet();
            }

            @Override
            public void release() {
                inFlight.decrementAndGet();
            }
        };
    }

    Path socket() {
        return folder.resolve("egress/proxy.sock");
    }

    String placeholder() {
        return PLACEHOLDERS.of(sandbox);
    }

    TestClient connect() throws IOException {
        return TestClient.connect(socket());
    }

    /** One request on a connection of its own. */
    TestClient.Answer ask(String request) throws IOException {
        try (var client = connect()) {
            client.send(request);
            return client.answer();
        }
    }

    TestClient.Answer get(String target) throws IOException {
        return ask("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    }

    TestClient.Answer callModel(String body) throws IOException {
        return ask(modelCall(body));
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
        return asked -> asked.equals(name) ? found : List.of();
    }

    @Override
    public void close() throws IOException {
        proxies.close();
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
