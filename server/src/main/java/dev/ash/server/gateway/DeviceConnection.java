package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.Device;
import dev.ash.server.device.Devices;
import dev.ash.server.gateway.ConnectionState.Admitted;
import dev.ash.server.gateway.ConnectionState.Authenticated;
import dev.ash.server.gateway.ConnectionState.Closed;
import dev.ash.server.gateway.ConnectionState.Opened;
import dev.ash.server.gateway.ConnectionState.Refused;
import dev.ash.server.gateway.ConnectionState.Serving;
import dev.ash.server.gateway.DeviceMessage.AcknowledgeWarning;
import dev.ash.server.gateway.DeviceMessage.Auth;
import dev.ash.server.gateway.DeviceMessage.CheckHealth;
import dev.ash.server.gateway.DeviceMessage.HeartbeatPing;
import dev.ash.server.gateway.DeviceMessageType.Ordering;
import dev.ash.server.gateway.DeviceMessageType.Stage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An encrypted connection of a device. Admits the device, checks each of its messages, and passes
 * requests to its channel. {@link ConnectionState} has the transitions between its states.
 */
final class DeviceConnection implements Connection {
    private static final String NOT_ACKNOWLEDGED =
            "This connection is over the public internet; send acknowledge_warning for "
                    + ConnectionWarnings.PUBLIC_CONNECTION
                    + " first";
    private static final ConnectionState OPENED = new Opened();
    private static final ConnectionState CLOSED = new Closed();

    private final ConnectionSource source;
    private final ConnectionContext context;
    private final DeviceLink link;
    private final Listener listener;
    private final Admission admission;
    private final ConnectionWarnings warnings;
    private final AtomicReference<ConnectionState> state = new AtomicReference<>(OPENED);

    /** Held while the device is admitted and while its channel is opened. */
    private final ReentrantLock admissionLock = new ReentrantLock();

    /** Receives events of this connection that concern other connections. */
    interface Listener {
        /** Called when the device of this connection is authenticated. */
        void authenticated(Device device);

        /** Called when the other connections of the device may open their channels as well. */
        void acknowledged(Device device);
    }

    DeviceConnection(
            ConnectionSource source,
            ConnectionContext context,
            DeviceLink link,
            Listener listener) {
        this.source = source;
        this.context = context;
        this.link = link;
        this.listener = listener;
        this.admission = new Admission(context, source);
        this.warnings = new ConnectionWarnings(source, context.devices());
    }

    @Override
    public void opened() {
        ConnectionRefusal.forSource(source, context.admitsPublic()).ifPresent(this::refuse);
    }

    @Override
    public void authenticationOverdue() {
        if (state.get() instanceof Opened) {
            refuse(ConnectionRefusal.authFailed("No auth message was received within ten seconds"));
        }
    }

    @Override
    public void refuse(ConnectionRefusal refusal) {
        refuse(null, refusal);
    }

    private void refuse(@Nullable String id, ConnectionRefusal refusal) {
        var before =
                state.getAndUpdate(current -> current.isEnded() ? current : new Refused(current));
        if (!before.isEnded()) {
            link.send(refusal.frame(context.server()).withId(id));
            link.close(refusal.code());
        }
    }

    @Override
    public void received(String text) {
        if (state.get().isEnded()) {
            return;
        }
        GatewayFrame frame;
        try {
            frame = GatewayFrame.parse(text);
        } catch (MalformedJsonException e) {
            rejectMalformed(GatewayFrame.parseId(text), e);
            return;
        }
        try {
            handle(DeviceMessageType.of(frame), frame);
        } catch (MalformedJsonException e) {
            rejectMalformed(frame.id(), e);
        } catch (RuntimeException e) {
            link.send(ErrorFrames.of(frame, e));
        }
    }

    private void rejectMalformed(@Nullable String id, MalformedJsonException e) {
        if (state.get() instanceof Authenticated) {
            sendError(id, "Malformed message: " + e.getMessage());
        } else {
            refuse(id, ConnectionRefusal.authFailed("The first message must be auth, in JSON"));
        }
    }

    private void sendError(@Nullable String id, String message) {
        link.send(ErrorFrames.of(id, GatewayError.BRIDGE_ERROR, message));
    }

    private void handle(DeviceMessageType type, GatewayFrame frame) throws MalformedJsonException {
        if (type.isAcceptedAt(Stage.OPENED)) {
            switch (DeviceProtocol.parse(type, frame)) {
                case HeartbeatPing _ ->
                        link.send(
                                GatewayFrame.of("heartbeat_pong", JsonWriter.object())
                                        .withId(frame.id()));
                case Auth auth -> authenticate(auth, frame.id());
                case DeviceMessage other -> throw new IllegalStateException("early: " + other);
            }
        } else if (state.get() instanceof Authenticated authenticated) {
            handle(authenticated, type, frame);
        } else {
            refuse(frame.id(), ConnectionRefusal.authFailed("The first message must be auth"));
        }
    }

    private void handle(Authenticated authenticated, DeviceMessageType type, GatewayFrame frame)
            throws MalformedJsonException {
        var device = authenticated.device();
        var identity = device.device().identity();
        var missing = type.missingScopes(identity);
        if (!missing.isEmpty()) {
            link.send(ErrorFrames.ofScopes(frame, missing, identity.scopes()));
            return;
        }
        boolean isAccepted = acceptsConnection(device);
        if (!type.isAcceptedAt(isAccepted ? Stage.ACKNOWLEDGED : Stage.ADMITTED)) {
            sendError(frame.id(), NOT_ACKNOWLEDGED);
            return;
        }
        if (isAccepted) {
            acknowledgedOnOtherConnection(); // unless it serves already
        }
        if (type.ordering() != Ordering.ON_CONNECTION) {
            passToChannel(device, type, frame);
            return;
        }
        switch (DeviceProtocol.parse(type, frame)) {
            case CheckHealth check -> checkHealth(device, check, isAccepted, frame.id());
            case AcknowledgeWarning warning -> acknowledge(device, warning, frame.id());
            case DeviceMessage other -> throw new IllegalStateException("late: " + other);
        }
    }

    private void passToChannel(AdmittedDevice device, DeviceMessageType type, GatewayFrame frame)
            throws MalformedJsonException {
        if (state.get() instanceof Serving(_, var channel)) {
            channel.receive(type, frame);
        } else {
            sendError(
                    frame.id(),
                    device.isProbe()
                            ? "This connection is a probe, which accepts only health_check"
                            : NOT_ACKNOWLEDGED);
        }
    }

    private void authenticate(Auth message, @Nullable String id) {
        if (state.get() instanceof Authenticated) {
            sendError(id, "This connection is already authenticated");
            return;
        }
        switch (admission.admit(message)) {
            case Admission.Result.Refused(var refusal) -> refuse(id, refusal);
            case Admission.Result.Admitted(var authenticated) -> {
                admissionLock.lock();
                try {
                    admit(authenticated, message, id);
                } finally {
                    admissionLock.unlock();
                }
            }
        }
    }

    private void admit(
            Devices.AuthenticatedDevice authenticated, Auth message, @Nullable String id) {
        var device = authenticated.device();
        var authenticator = context.authenticator();
        listener.authenticated(device);
        var registration = authenticator.whileValid(device.identity(), this::refuseInvalidToken);
        var admitted =
                new AdmittedDevice(device, message.isProbe(), message.capabilities(), registration);
        if (!state.compareAndSet(OPENED, new Admitted(admitted))) {
            admitted.close(); // refused or closed meanwhile
            return;
        }
        // A revocation before the registration did not reach this connection.
        if (!authenticator.isValid(device.identity())) {
            refuseInvalidToken("This device was revoked");
        }
        if (state.get().isEnded()) {
            return;
        }
        // Checked before the frame is sent, which may contain the warning: an acknowledgment on
        // another connection after that is reported by acknowledgedOnOtherConnection().
        boolean isAccepted = acceptsConnection(admitted);
        link.send(admission.acknowledgment(admitted, authenticated.newToken()).withId(id));
        if (isAccepted) {
            openChannel();
        }
    }

    private void refuseInvalidToken(String reason) {
        refuse(ConnectionRefusal.authFailed(reason, "Pair the device again"));
    }

    /** Opens the channel, which replays missed events; probes have none. */
    private void openChannel() {
        admissionLock.lock();
        try {
            if (state.get() instanceof Admitted(var device) && !device.isProbe()) {
                openChannel(device);
            }
        } finally {
            admissionLock.unlock();
        }
    }

    private void openChannel(AdmittedDevice device) {
        var channel = context.channels().open(device.device(), link, device.capabilities());
        var before =
                state.getAndUpdate(
                        current ->
                                current instanceof Admitted
                                        ? new Serving(device, channel)
                                        : current);
        if (before.isEnded()) {
            ConnectionState.close(channel);
        }
    }

    /** Returns whether there is no unacknowledged warning about a public connection. */
    private boolean acceptsConnection(AdmittedDevice device) {
        return !source.isPublic()
                || context.devices().isPublicConnectionAcknowledged(device.device());
    }

    private GatewayFrame connectionAcknowledged(AdmittedDevice device) {
        boolean isReady = warnings.acceptsClock(device);
        return ConnectionWarnings.accepted(ConnectionWarnings.PUBLIC_CONNECTION, isReady);
    }

    @Override
    public void acknowledgedOnOtherConnection() {
        admissionLock.lock();
        try {
            if (source.isPublic()
                    && state.get() instanceof Admitted(var device)
                    && !device.isProbe()) {
                link.send(connectionAcknowledged(device));
                openChannel(device);
            }
        } finally {
            admissionLock.unlock();
        }
    }

    @Override
    public void checkAcknowledgment() {
        if (state.get() instanceof Serving(var device, _) && !acceptsConnection(device)) {
            link.close(
                    "The acknowledgment of "
                            + ConnectionWarnings.PUBLIC_CONNECTION
                            + " has expired; connect again");
        }
    }

    private void checkHealth(
            AdmittedDevice device, CheckHealth message, boolean isAccepted, @Nullable String id) {
        boolean isSkewed = HealthCheck.isSkewed(context.clock(), message);
        device.recordHealthCheck(message.capabilities(), isSkewed);
        if (state.get() instanceof Serving(_, var channel)) {
            channel.setCapabilities(message.capabilities());
        }
        boolean isValid = context.authenticator().isValid(device.device().identity());
        var result =
                new HealthCheck(
                        source, isAccepted, isSkewed, warnings.acceptsClock(device), isValid);
        link.send(result.frame(context.clock(), message).withId(id));
    }

    private void acknowledge(
            AdmittedDevice device, AcknowledgeWarning message, @Nullable String id) {
        var problem = warnings.problem(device, message);
        if (problem.isPresent()) {
            sendError(id, problem.get());
        } else if (message.code().equals(ConnectionWarnings.CLOCK_SKEW)) {
            context.devices().acknowledgeClockSkew(device.device());
            boolean isReady = acceptsConnection(device);
            link.send(ConnectionWarnings.accepted(message.code(), isReady).withId(id));
        } else {
            context.devices().acknowledgePublicConnection(device.device());
            link.send(connectionAcknowledged(device).withId(id));
            openChannel();
            listener.acknowledged(device.device());
        }
    }

    @Override
    public void pong(long number) {
        if (state.get() instanceof Serving(_, var channel)) {
            channel.pong(number);
        }
    }

    @Override
    public void closed() {
        state.getAndSet(CLOSED).release();
    }
}
