package dev.ash.server.gateway;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.approval.Approvals;
import dev.ash.server.device.Cursors;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceRoutes;
import dev.ash.server.device.Devices;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Origins;
import dev.ash.server.http.Sockets;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.SessionDoor;
import dev.ash.server.tls.Certificates;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The gateway, assembled. Where its port is taken, everything else of it works all the same. */
public final class Gateway implements AutoCloseable, DeviceRoutes.Door {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final Duration START = Duration.ofSeconds(30);

    private final GatewayConfig config;
    private final Parts parts;
    private final ConnectedDevices connected = new ConnectedDevices();
    private final KnownSessions known;
    private final GatewaySockets sockets;
    private final Notifier notifier;
    private final CountDownLatch started = new CountDownLatch(1);
    private volatile @Nullable GatewayServer server;

    /** What devices use. */
    public record Parts(
            Authenticator authenticator,
            Devices devices,
            Cursors cursors,
            NotificationStore notifications,
            SessionDoor sessions,
            SessionTitles titles,
            Hooks hooks,
            SessionEvents events,
            EventViews views,
            Approvals approvals,
            Repositories repositories,
            String version,
            Clock clock) {}

    public Gateway(GatewayConfig config, Parts parts) {
        this.config = config;
        this.parts = parts;
        this.known =
                new KnownSessions(
                        parts.sessions(),
                        parts.titles(),
                        new FirstPrompts(parts.events()),
                        parts.hooks());
        this.sockets =
                new GatewaySockets(
                        new Reaches(config.proxies(), config.tunnels(), VpnInterfaces::subnets),
                        new Origins(config.http()),
                        gate(),
                        config.limits());
        this.notifier =
                new Notifier(
                        parts.devices(),
                        parts.cursors(),
                        parts.notifications(),
                        known,
                        connected,
                        parts.events());
        parts.events().listen(notifier);
        parts.hooks().onChange(notifier::terminal);
    }

    private DeviceConnection.Gate gate() {
        var services = services();
        return new DeviceConnection.Gate(
                parts.authenticator(),
                parts.devices(),
                new WrongTokens(),
                this::welcome,
                (device, link, capabilities) ->
                        new DeviceDesk(device, link, capabilities, services).open(),
                config.admitsPublic(),
                parts.clock());
    }

    private DeviceDesk.Services services() {
        var broadcasts = new Broadcasts(parts.events(), standing(), parts.clock());
        var approvals = new ApprovalMessages(parts.approvals());
        var follower =
                new DeviceDesk.Follower() {
                    @Override
                    public Following follow(
                            Device device, SessionId session, long after, Following.Device to) {
                        return new Following(
                                session,
                                after,
                                new Following.Source(
                                        broadcasts,
                                        parts.events(),
                                        () -> approvals.open(device, session),
                                        parts.clock()),
                                to);
                    }

                    @Override
                    public long last(SessionId session) {
                        return parts.events().last(session);
                    }
                };
        return new DeviceDesk.Services(
                follower,
                known,
                parts.cursors(),
                parts.devices().requests(),
                parts.notifications(),
                connected,
                new SessionMessages(parts.sessions(), known, parts.repositories(), parts.views()),
                approvals,
                new GitMessages(parts.repositories()),
                new FileMessages(parts.repositories()),
                parts.clock());
    }

    private Broadcasts.Standing standing() {
        return new Broadcasts.Standing() {
            @Override
            public boolean isBroken(SessionId session) {
                return parts.sessions().isBroken(session);
            }

            @Override
            public boolean isInTurn(SessionId session) {
                return parts.sessions().isInTurn(session);
            }
        };
    }

    private JsonWriter welcome(JsonWriter payload, Device device) {
        payload.put("server_version", parts.version())
                .put("supported_agents", parts.sessions().names(device.tenant()))
                .put("bridge_url", address().map(DeviceRoutes.Address::url).orElse(null));
        payload.name("active_sessions").open('[');
        known.open(device.tenant()).forEach(session -> payload.value(session.shown()));
        return payload.close(']');
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
        try {
            if (config.enabled()) {
                listen(certificates, endpoints);
            }
        } finally {
            started.countDown();
        }
    }

    private void listen(Certificates certificates, List<Endpoint> endpoints) {
        try {
            var listening =
                    new GatewayServer(
                            config,
                            parts.authenticator(),
                            certificates.gateway(),
                            sockets,
                            endpoints);
            listening.start();
            server = listening;
            LOG.log(System.Logger.Level.INFO, "Devices connect to {0}", listening.address().url());
        } catch (ApiException e) {
            failed(e.sentence());
        } catch (IOException e) {
            failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void failed(String why) {
        LOG.log(
                System.Logger.Level.WARNING,
                "NO DEVICE CAN CONNECT to {0} port {1}: {2}. ASH_GATEWAY_HOST and ASH_GATEWAY_PORT"
                        + " name another address and port",
                config.host(),
                Integer.toString(config.port()),
                why);
    }

    /**
     * Right after the start of the server this takes a moment: a certificate may have to be made.
     */
    @Override
    public Optional<DeviceRoutes.Address> address() {
        try {
            started.await(START.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.ofNullable(server).map(GatewayServer::address);
    }

    @Override
    public boolean isConnected(String deviceId) {
        return sockets.isConnected(deviceId);
    }

    @Override
    public void close() {
        sockets.close();
        notifier.close();
        var listening = server;
        if (listening != null) {
            listening.close();
        }
    }
}
