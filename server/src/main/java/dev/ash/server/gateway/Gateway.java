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

/** The gateway, assembled. Where its port is taken, everything else of it works all the same. */
public final class Gateway implements AutoCloseable, DeviceRoutes.GatewayStatus {
    private final GatewayConfig config;
    private final Parts parts;
    private final ConnectedDevices connected = new ConnectedDevices();
    private final KnownSessions known;
    private final GatewaySockets sockets;
    private final Notifier notifier;
    private final GatewayListener listener;

    /** What devices use. */
    public record Parts(
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

    public Gateway(GatewayConfig config, Parts parts) {
        this.config = config;
        this.parts = parts;
        this.listener = new GatewayListener(config);
        this.known =
                new KnownSessions(
                        parts.sessions(),
                        parts.titles(),
                        new FirstPrompts(parts.log().events()),
                        parts.hooks());
        this.sockets =
                new GatewaySockets(
                        new ConnectionClassifier(
                                config.proxies(), config.tunnels(), VpnInterfaces::subnets),
                        new Origins(config.http()),
                        context(),
                        config.limits());
        this.notifier =
                new Notifier(
                        parts.devices(),
                        parts.cursors(),
                        parts.notifications(),
                        known,
                        connected,
                        parts.log().events());
        parts.log().events().addListener(Notifier.TYPES, notifier);
        parts.hooks().onChange(notifier::terminal);
    }

    private ConnectionContext context() {
        var services = services();
        return new ConnectionContext(
                parts.authenticator(),
                parts.devices(),
                new WrongTokens(),
                serverInfo(),
                (device, link, capabilities) ->
                        new DeviceChannel(device, link, capabilities, services).open(),
                config.admitsPublic(),
                parts.clock());
    }

    private DeviceChannel.Services services() {
        var broadcasts = new Broadcasts(parts.log().events(), states(), parts.clock());
        var approvals = new ApprovalMessages(parts.answers());
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
                                        parts.log().events(),
                                        () -> approvals.open(device, session),
                                        parts.clock()),
                                to);
                    }

                    @Override
                    public long last(SessionId session) {
                        return parts.log().events().lastSeq(session);
                    }
                };
        return new DeviceChannel.Services(
                subscriptions,
                known,
                parts.cursors(),
                parts.devices().requests(),
                parts.notifications(),
                connected,
                new SessionMessages(
                        parts.sessions(), known, parts.repositories(), parts.log().views()),
                approvals,
                new GitMessages(parts.repositories()),
                new FileMessages(parts.repositories()),
                parts.clock());
    }

    private Broadcasts.SessionStates states() {
        return new Broadcasts.SessionStates() {
            @Override
            public boolean isBroken(SessionId session) {
                return parts.sessions().hasFailed(session);
            }

            @Override
            public boolean isInTurn(SessionId session) {
                return parts.sessions().isBusy(session);
            }
        };
    }

    private ConnectionContext.ServerInfo serverInfo() {
        return new ConnectionContext.ServerInfo() {
            @Override
            public JsonWriter addTo(JsonWriter payload, Device device) {
                payload.put("server_version", parts.version())
                        .put("supported_agents", parts.sessions().agentNames(device.tenant()))
                        .put("bridge_url", address().map(DeviceRoutes.Address::url).orElse(null));
                payload.name("active_sessions").open('[');
                known.open(device.tenant()).forEach(session -> payload.value(session.shown()));
                return payload.close(']');
            }

            @Override
            public @Nullable String documentation() {
                return address().map(at -> GatewayPage.address(at.url())).orElse(null);
            }
        };
    }

    /** Devices on other listeners: refused, unless a trusted proxy vouches for them. */
    public Sockets sockets() {
        return config.enabled() ? sockets : Sockets.NONE;
    }

    /**
     * Listens for devices, and for hooks at {@code endpoints}. A server without a gateway is still
     * a server: what stands in the way is said loudly.
     */
    public void start(Certificates certificates, List<Endpoint> endpoints) {
        listener.start(
                config,
                at ->
                        new GatewayServer(
                                at,
                                parts.authenticator(),
                                certificates.gateway(),
                                sockets,
                                endpoints));
    }

    /** What is changed and shown through the API. */
    public List<Endpoint> endpoints(AddressSetting setting) {
        return Stream.concat(
                        new DeviceRoutes(parts.devices(), this).endpoints().stream(),
                        new GatewayRoutes(this, setting).endpoints().stream())
                .toList();
    }

    GatewayListener listener() {
        return listener;
    }

    /** Lets it listen elsewhere; returns what it is afterwards. */
    synchronized GatewayListener.State move(String host, Optional<Integer> port) {
        var state = listener.move(host, port);
        sockets.use(new Origins(state.config().http()));
        return state;
    }

    public HealthResponse.Gateway health() {
        return listener.state().health();
    }

    /**
     * Right after the start of the server this takes a moment: a certificate may have to be made.
     */
    @Override
    public Optional<DeviceRoutes.Address> address() {
        return listener.awaited().address();
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
