package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.Session;
import dev.ash.server.approval.Approvals;
import dev.ash.server.device.Cursors;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceRoutes;
import dev.ash.server.device.Devices;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.http.RateLimit;
import dev.ash.server.repository.Repositories;
import dev.ash.server.session.SessionDoor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The gateway, assembled; or the absence of one, where its port is taken. */
public final class Gateway implements AutoCloseable, DeviceRoutes.Door {
    private static final System.Logger LOG = System.getLogger("ash.gateway");
    private static final int WRONG_TOKENS_PER_MINUTE = 10;

    private final @Nullable GatewayServer server;

    /** What devices use. */
    public record Parts(
            Devices devices,
            Cursors cursors,
            SessionDoor sessions,
            SessionEvents events,
            Approvals approvals,
            Repositories repositories,
            List<String> engines,
            String version,
            Clock clock) {}

    private Gateway(@Nullable GatewayServer server) {
        this.server = server;
    }

    /** A server without a gateway is still a server: what stands in the way is said loudly. */
    public static Gateway open(
            GatewayConfig config, Path certificate, String password, Parts parts) {
        try {
            var identity =
                    config.files().isPresent()
                            ? TlsIdentity.ofFiles(
                                    config.files().get().certificates(), config.files().get().key())
                            : SelfSigned.open(certificate, password);
            var server = new GatewayServer(config, identity, gate(config, parts), parts.clock());
            int port = server.start();
            LOG.log(
                    System.Logger.Level.INFO,
                    "Devices connect to wss://{0}:{1}",
                    config.host(),
                    Integer.toString(port));
            return new Gateway(server);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "NO DEVICE CAN CONNECT: the gateway cannot listen on {0} port {1} ({2});"
                            + " set ASH_GATEWAY_PORT to another port",
                    config.host(),
                    Integer.toString(config.port()),
                    e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Gateway(null);
    }

    private static DeviceConnection.Gate gate(GatewayConfig config, Parts parts) {
        var services =
                new DeviceDesk.Services(
                        parts.sessions(),
                        parts.events(),
                        parts.cursors(),
                        parts.approvals(),
                        new SessionStarts(parts.sessions(), parts.repositories()),
                        new GitMessages(parts.repositories()),
                        new FileMessages(parts.repositories()));
        return new DeviceConnection.Gate(
                parts.devices(),
                new WrongTokens(),
                (payload, device) -> welcome(payload, device, parts),
                (device, link) -> new DeviceDesk(device, link, services),
                config.admitsPublic(),
                parts.clock());
    }

    private static JsonWriter welcome(JsonWriter payload, Device device, Parts parts) {
        payload.put("server_version", parts.version()).put("supported_agents", parts.engines());
        payload.name("active_sessions").open('[');
        for (var session : parts.sessions().open(device.tenant())) {
            payload.value(
                    JsonWriter.object()
                            .put("session_id", session.id())
                            .put("agent", session.agentName())
                            .put("title", title(session))
                            .put("working_directory", session.workingDirectory())
                            .put("status", session.status().equals("active") ? "active" : "idle")
                            .end());
        }
        return payload.close(']');
    }

    private static String title(Session session) {
        var folder = Path.of(String.valueOf(session.workingDirectory())).getFileName();
        return folder == null ? session.agentName() : session.agentName() + " in " + folder;
    }

    /** So many wrong tokens a minute from one address, and then none is looked at. */
    private static final class WrongTokens implements DeviceConnection.FailedAttempts {
        private final RateLimit limit = new RateLimit(WRONG_TOKENS_PER_MINUTE, System::nanoTime);
        private final java.util.Map<String, Long> blocked =
                new java.util.concurrent.ConcurrentHashMap<>();
        private static final long MINUTE = java.time.Duration.ofMinutes(1).toNanos();

        @Override
        public boolean tooMany(String address) {
            var since = blocked.get(address);
            if (since == null) {
                return false;
            }
            if (System.nanoTime() - since > MINUTE) {
                blocked.remove(address);
                return false;
            }
            return true;
        }

        @Override
        public void failed(String address) {
            if (!limit.take(address)) {
                blocked.put(address, System.nanoTime());
            }
        }
    }

    @Override
    public Optional<DeviceRoutes.Address> address() {
        return server == null ? Optional.empty() : server.address();
    }

    @Override
    public boolean isConnected(String deviceId) {
        return server != null && server.isConnected(deviceId);
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
    }
}
