package dev.ash.server.egress;

import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;

/** The proxies of all sandboxes of this server. */
public final class EgressProxies implements AutoCloseable {
    private final Placeholders placeholders;
    private final EgressLimits limits;
    private final List<HostPattern> operator;
    private final Deadlines deadlines;
    private final Dialler dialler;
    private final Prices prices = Prices.load();
    private final MeteredUpstreams upstreams = new MeteredUpstreams();
    private final RequestCounts counts = new RequestCounts();
    private final Map<SandboxId, SandboxProxy> open = new HashMap<>();
    private boolean closed;

    /** {@code operator} lists the hosts of the server's settings, for every sandbox. */
    public EgressProxies(
            Placeholders placeholders, EgressLimits limits, Collection<String> operator) {
        this(
                placeholders,
                limits,
                operator,
                Resolver.system(),
                AddressRules.ofThisHost(),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    EgressProxies(
            Placeholders placeholders,
            EgressLimits limits,
            Collection<String> operator,
            Resolver resolver,
            AddressRules rules,
            Supplier<SSLSocketFactory> tls) {
        this.placeholders = placeholders;
        this.limits = limits;
        this.operator = operator.stream().map(HostPattern::parse).toList();
        this.deadlines = new Deadlines(limits.sweep());
        this.dialler = new Dialler(resolver, rules, tls, limits, deadlines);
    }

    /**
     * Listens for this sandbox, in place of an earlier proxy of the same, whose connections end.
     */
    public synchronized void open(SandboxId sandbox, EgressSetup setup) throws IOException {
        if (closed) {
            throw new IOException("the server is shutting down");
        }
        close(sandbox);
        var wires = new Wires();
        var notices = new BlockedNotices(setup.listener()::blocked, System::nanoTime);
        var model =
                new ModelCalls(
                        key -> placeholders.accepts(sandbox, key),
                        setup.api(),
                        setup.model(),
                        setup.requests(),
                        counts,
                        notices,
                        setup.listener(),
                        ModelDialler.of(dialler, setup.api()),
                        new Metering(setup.budget(), prices, upstreams, limits.drain()),
                        wires);
        open.put(
                sandbox,
                new SandboxProxy(
                        ProxySocket.open(setup.folder()),
                        wires,
                        new Gate(setup.policy().withOperator(operator), dialler, notices, wires),
                        model,
                        new ToolCalls(setup.tools()),
                        limits,
                        deadlines));
    }

    /** What the checks of model requests did since the server started. */
    public RequestCounts requestCounts() {
        return counts;
    }

    /** Cuts all connections of this sandbox. May be called twice. */
    public synchronized void close(SandboxId sandbox) {
        var proxy = open.remove(sandbox);
        if (proxy != null) {
            proxy.close();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        open.values().forEach(SandboxProxy::close);
        open.clear();
        upstreams.close();
        deadlines.close();
        dialler.close();
    }
}
