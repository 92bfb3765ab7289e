package dev.ash.server.egress;

import dev.ash.protocol.SandboxId;
import dev.ash.server.egress.http.EgressLimits;
import dev.ash.server.egress.http.HostConnector;
import dev.ash.server.egress.http.ProxySocket;
import dev.ash.server.egress.http.Resolver;
import dev.ash.server.egress.http.SandboxConnections;
import dev.ash.server.egress.http.TimedConnection;
import dev.ash.server.egress.model.Metering;
import dev.ash.server.egress.model.ModelCalls;
import dev.ash.server.egress.model.Placeholders;
import dev.ash.server.egress.model.PriceTable;
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.egress.policy.AddressRules;
import dev.ash.server.egress.policy.BlockedRequestReporter;
import dev.ash.server.egress.policy.HostPattern;
import dev.ash.server.egress.policy.HostRules;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;

/** Opens and closes the egress proxies of all sandboxes of this server. */
public final class EgressProxies implements AutoCloseable {
    private final Placeholders placeholders;
    private final EgressLimits limits;
    private final List<HostPattern> operatorPatterns;
    private final AddressRules addressRules;
    private final TimedConnection.Deadlines deadlines;
    private final HostConnector connector;
    private final Metering metering;
    private final RequestCounts counts = new RequestCounts();
    private final Map<SandboxId, SandboxProxy> proxies = new HashMap<>();
    private boolean closed;

    /**
     * {@code operatorHosts} are the patterns of the server's settings; they apply to all sandboxes.
     * {@code prices} is called for each metered call.
     */
    public EgressProxies(
            Placeholders placeholders,
            EgressLimits limits,
            Collection<String> operatorHosts,
            Supplier<PriceTable> prices) {
        this(
                placeholders,
                limits,
                operatorHosts,
                prices,
                Resolver.system(),
                AddressRules.ofThisHost(),
                () -> (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    EgressProxies(
            Placeholders placeholders,
            EgressLimits limits,
            Collection<String> operatorHosts,
            Supplier<PriceTable> prices,
            Resolver resolver,
            AddressRules addressRules,
            Supplier<SSLSocketFactory> tls) {
        this.placeholders = placeholders;
        this.limits = limits;
        this.operatorPatterns = operatorHosts.stream().map(HostPattern::parse).toList();
        this.addressRules = addressRules;
        this.deadlines = new TimedConnection.Deadlines(limits.sweep());
        this.connector = new HostConnector(resolver, tls, limits, deadlines);
        this.metering = new Metering(prices, limits.drain());
    }

    /** Opens the proxy of a sandbox; closes its earlier proxy, if there is one. */
    public synchronized void open(SandboxId sandbox, EgressSetup setup) throws IOException {
        if (closed) {
            throw new IOException("the server is shutting down");
        }
        close(sandbox);
        var connections = new SandboxConnections();
        var blockedReporter =
                new BlockedRequestReporter(setup.listener()::onBlocked, System::nanoTime);
        var model =
                new ModelCalls(
                        placeholders.acceptedFrom(sandbox),
                        setup.model(),
                        connector::connect,
                        connections,
                        metering,
                        counts,
                        blockedReporter,
                        setup.listener()::onUnknownFields);
        var hostRules = new HostRules(setup.policy().withOperator(operatorPatterns), addressRules);
        var hosts = new HostAccess(hostRules, connector, blockedReporter, connections);
        proxies.put(
                sandbox,
                new SandboxProxy(
                        ProxySocket.open(setup.directory()),
                        connections,
                        hosts,
                        model,
                        new ToolCalls(setup.tools()),
                        limits,
                        deadlines));
    }

    /** Returns the counters of model request checks since the server started. */
    public RequestCounts requestCounts() {
        return counts;
    }

    /** Closes the proxy of a sandbox with all its connections. Idempotent. */
    public synchronized void close(SandboxId sandbox) {
        var proxy = proxies.remove(sandbox);
        if (proxy != null) {
            proxy.close();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        proxies.values().forEach(SandboxProxy::close);
        proxies.clear();
        metering.close();
        deadlines.close();
        connector.close();
    }
}
