package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.HealthResponse;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceCursors;
import dev.ash.server.device.DeviceRoutes;
import dev.ash.server.device.Devices;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.event.EventLog;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Origins;
import dev.ash.server.http.Sockets;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.SessionService;
import dev.ash.server.tls.Certificates;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The gateway: its listener, connections, sessions and notifications. If its port is in use, all
 * other parts still work.
 */
public final class Gateway implements AutoCloseable, DeviceRoutes.GatewayStatus {
    private final GatewayConfig config;
    private final Dependencies dependencies;
    private final ConnectedDevices connected = new ConnectedDevices();
    private final DeviceSessions sessions;
    private final GatewaySockets sockets;
    private final Notifier notifier;
    private final GatewayListener listener;

    /** The services that the gateway uses. */
    public record Dependencies(
            Authenticator authenticator,
            Devices devices,
            DeviceCursors cursors,
            NotificationStore notifications,
            SessionService sessions,
            SessionTitles titles,
            Hooks hooks,
            EventLog log,
            ApprovalAnswers answers,
            Repositories repositories,
            String version,
            Clock clock) {}

    public Gateway(GatewayConfig config, Dependencies dependencies) {
        this.config = config;
        this.dependencies = dependencies;
        this.listener = new GatewayListener(config);
        this.sessions =
                new DeviceSessions(
                        dependencies.sessions(),
                        dependencies.titles(),
                        new PromptTitles(dependencies.log().events()),
                        dependencies.hooks());
        this.sockets =
                new GatewaySockets(
                        new ConnectionClassifier(
                                config.proxies(), config.tunnels(), VpnInterfaces::subnets),
                        new Origins(config.http()),
                        context(),
                        config.limits());
        this.notifier =
                new Notifier(
                        dependencies.devices(),
                        dependencies.cursors(),
                        dependencies.notifications(),
                        sessions,
                        connected,
                        dependencies.log().events());
        dependencies.log().events().addListener(Notifier.TYPES, notifier);
        dependencies.hooks().onChange(notifier::followTerminal);
    }

    private ConnectionContext context() {
        var services = services();
        return new ConnectionContext(
                dependencies.authenticator(),
                dependencies.devices(),
                new AuthFailureLimiter(),
                serverInfo(),
                (device, link, capabilities) ->
                        new DeviceChannel(device, link, capabilities, services).open(),
                config.admitsPublic(),
                dependencies.clock());
    }

    private DeviceChannel.Services services() {
        var broadcasts =
                new Broadcasts(dependencies.log().events(), states(), dependencies.clock());
        var approvals = new ApprovalRequestHandler(dependencies.answers());
        var subscriptions =
                new DeviceChannel.Subscriptions() {
                    @Override
                    public SessionSubscription subscribe(
                            Device device,
                            SessionId session,
                            long after,
                            SessionSubscription.Receiver to) {
                        return new SessionSubscription(
                                session,
                                after,
                                new SessionSubscription.Source(
                                        broadcasts,
                                        dependencies.log().events(),
                                        () -> approvals.findOpen(device, session),
                                        dependencies.clock()),
                                to);
                    }

                    @Override
                    public long lastSeq(SessionId session) {
                        return dependencies.log().events().lastSeq(session);
                    }
                };
        return new DeviceChannel.Services(
                subscriptions,
                sessions,
                dependencies.cursors(),
                dependencies.devices().requests(),
                dependencies.notifications(),
                connected,
                new SessionRequestHandler(
                        dependencies.sessions(),
                        sessions,
                        dependencies.repositories(),
                        dependencies.log().views()),
                approvals,
                new GitRequestHandler(dependencies.repositories()),
                new FileRequestHandler(dependencies.repositories()),
                dependencies.clock());
    }

    private Broadcasts.SessionStates states() {
        return new Broadcasts.SessionStates() {
            @Override
            public boolean hasFailed(SessionId session) {
                return dependencies.sessions().hasFailed(session);
            }

            @Override
            public boolean isBusy(SessionId session) {
                return dependencies.sessions().isBusy(session);
            }
        };
    }

    private ConnectionContext.ServerInfo serverInfo() {
        return new ConnectionContext.ServerInfo() {
            @Override
            public JsonWriter addTo(JsonWriter payload, Device device) {
                payload.put("server_version", dependencies.version())
                        .put(
                                "supported_agents",
                                dependencies.sessions().agentNames(device.tenant()));
                addAgents(payload, device);
                payload.put("bridge_url", address().map(DeviceRoutes.Address::url).orElse(null));
                payload.name("active_sessions").open('[');
                sessions.listOpen(device.tenant())
                        .forEach(session -> payload.value(session.toJson()));
                return payload.close(']');
            }

            @Override
            public @Nullable String documentation() {
                return address().map(address -> GatewayPage.url(address.url())).orElse(null);
            }
        };
    }

    /** Adds what {@code supported_agents} can do; that field has only names. */
    private void addAgents(JsonWriter payload, Device device) {
        payload.name("agents").open('[');
        for (var agent : dependencies.sessions().describeAgents(device.tenant())) {
            payload.open('{')
                    .put("name", agent.name())
                    .put("engine", agent.engine())
                    .put("version", agent.version().isEmpty() ? null : agent.version())
                    .put("capabilities", agent.capabilities())
                    .close('}');
        }
        payload.close(']');
    }

    /**
     * Returns the WebSockets for other listeners, which refuse devices unless a trusted proxy
     * reports an encrypted connection.
     */
    public Sockets sockets() {
        return config.enabled() ? sockets : Sockets.NONE;
    }

    /**
     * Starts to listen for devices, and for hooks at {@code endpoints}. The server also runs
     * without the gateway, so a failure is logged and not thrown.
     */
    public void start(Certificates certificates, List<Endpoint> endpoints) {
        listener.start(
                config,
                address ->
                        new GatewayServer(
                                address,
                                dependencies.authenticator(),
                                certificates.gateway(),
                                sockets,
                                endpoints));
    }

    /** Returns the REST endpoints of devices and of the gateway. */
    public List<Endpoint> endpoints(AddressSetting setting) {
        return Stream.concat(
                        new DeviceRoutes(dependencies.devices(), this).endpoints().stream(),
                        new GatewayRoutes(this, setting).endpoints().stream())
                .toList();
    }

    GatewayListener listener() {
        return listener;
    }

    /** Moves the listener to another address, and returns its new state. */
    synchronized GatewayListener.State move(String host, Optional<Integer> port) {
        var state = listener.move(host, port);
        sockets.setOrigins(new Origins(state.config().http()));
        return state;
    }

    public HealthResponse.Gateway health() {
        return listener.state().health();
    }

    /**
     * Returns the address of the gateway. Waits for the start of the listener, which may have to
     * create a certificate first.
     */
    @Override
    public Optional<DeviceRoutes.Address> address() {
        return listener.awaitStart().address();
    }

    @Override
    public Optional<String> problem() {
        return Optional.ofNullable(listener.state().problem());
    }

    @Override
    public boolean isConnected(String deviceId) {
        return sockets.isConnected(deviceId);
    }

    @Override
    public void close() {
        sockets.close();
        notifier.close();
        listener.close();
    }
}
