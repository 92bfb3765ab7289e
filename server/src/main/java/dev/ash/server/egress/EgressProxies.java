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
import dev.ash.server.egress.model.RequestCounts;
import dev.ash.server.egress.policy.AddressRules;
import dev.ash.server.egress.policy.BlockedNotices;
import dev.ash.server.egress.policy.HostPattern;
import dev.ash.server.egress.policy.HostRules;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;

/** Opens and closes the proxies of all sandboxes of this server. */
public final class EgressProxies implements AutoCloseable {
    private final Placeholders placeholders;
    private final EgressLimits limits;
    private final List<HostPattern> operator;
    private final AddressRules rules;
    private final TimedConnection.Deadlines deadlines;
    private final HostConnector connector;
    private final Metering metering;
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
        this.rules = rules;
        this.deadlines = new TimedConnection.Deadlines(limits.sweep());
        this.connector = new HostConnector(resolver, tls, limits, deadlines);
        this.metering = new Metering(limits.drain());
    }

    /** Opens a sandbox's proxy and closes an earlier one of the same sandbox. */
    public synchronized void open(SandboxId sandbox, EgressSetup setup) throws IOException {
        if (closed) {
            throw new IOException("the server is shutting down");
        }
        close(sandbox);
        var connections = new SandboxConnections();
        var notices = new BlockedNotices(setup.listener()::blocked, System::nanoTime);
        var model =
                new ModelCalls(
                        placeholders.acceptedFrom(sandbox),
                        setup.model(),
                        connector::connect,
                        connections,
                        metering,
                        counts,
                        notices,
                        setup.listener()::unknownFields);
        var hostRules = new HostRules(setup.policy().withOperator(operator), rules);
        var hosts = new HostAccess(hostRules, connector, notices, connections);
        open.put(
                sandbox,
                new SandboxProxy(
                        ProxySocket.open(setup.folder()),
                        connections,
                        hosts,
                        model,
                        new ToolCalls(setup.tools()),
                        limits,
                        deadlines));
    }

    /** Counters of the checks of model requests since the server started. */
    public RequestCounts requestCounts() {
        return counts;
    }

    /** Closes all connections of this sandbox. Idempotent. */
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
        metering.close();
        deadlines.close();
        connector.close();
    }
}
