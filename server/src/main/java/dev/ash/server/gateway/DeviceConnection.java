package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.server.device.Device;
import dev.ash.server.device.DeviceScopes;
import dev.ash.server.device.Devices;
import dev.ash.server.gateway.DeviceMessage.AcknowledgeWarning;
import dev.ash.server.gateway.DeviceMessage.Auth;
import dev.ash.server.gateway.DeviceMessage.CheckHealth;
import dev.ash.server.gateway.DeviceMessage.HeartbeatPing;
import dev.ash.server.gateway.DeviceMessage.Request;
import dev.ash.server.gateway.DeviceMessageType.Ordering;
import dev.ash.server.gateway.DeviceMessageType.Stage;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.DeviceIdentity;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a device: who it is, whether it may go on, and what it asks for. Frames come
 * one at a time; that the device is revoked, expired or acknowledged elsewhere comes at any time.
 */
final class DeviceConnection {
    static final String WARNING = "DIRECT_PUBLIC_CONNECTION";
    private static final String NOT_ACKNOWLEDGED =
            "This connection is over the open internet: send acknowledge_warning for "
                    + WARNING
                    + " first";
    private static final String INVALID_TOKEN = "Invalid or expired token";

    private final ConnectionSource source;
    private final Context context;
    private final DeviceLink link;
    private final Owner owner;

    /** Held while the device is let in and while its channel is opened. */
    private final ReentrantLock entering = new ReentrantLock();

    private volatile boolean refused;
    private volatile boolean isProbe;
    private volatile Set<Capability> said = Set.of();
    private volatile boolean over;
    private volatile boolean hasSpoken;
    private volatile boolean isSkewed; // as its last health_check says
    private volatile @Nullable Device device;
    private volatile @Nullable Channel channel;
    private volatile Authenticator.@Nullable Registration registration;

    /** What all connections share. */
    record Context(
            Authenticator authenticator,
            Devices devices,
            FailedAttempts failures,
            Welcome welcome,
            Channels channels,
            boolean admitsPublic,
            Clock clock) {}

    /** Who keeps this connection among the others. */
    interface Owner {
        /** It is known whose connection this is. */
        void authenticated(Device device);

        /** The device's other connections may open as well. */
        void acknowledged(Device device);
    }

    /** Counts wrong tokens by address. */
    interface FailedAttempts {
        boolean tooMany(String address);

        void failed(String address);
    }

    /** The part of the first answer that is about this server. */
    interface Welcome {
        JsonWriter addTo(JsonWriter payload, Device device);

        /** The address of a page that says how to connect; null if there is none. */
        default @Nullable String documentation() {
            return null;
        }
    }

    /** Opens what serves a device once it is in. */
    interface Channels {
        Channel open(Device device, DeviceLink link, Set<Capability> capabilities);
    }

    /** Everything that a device asks for, and is told of, while it is connected. */
    interface Channel extends AutoCloseable {
        /** What the device can do, as it said last. */
        void capabilities(Set<Capability> said);

        void take(DeviceMessageType type, GatewayFrame frame) throws MalformedJsonException;

        /** Something that was sent before a ping with this number has arrived. */
        void pong(long number);

        @Override
        void close();
    }

    DeviceConnection(ConnectionSource source, Context context, DeviceLink link, Owner owner) {
        this.source = source;
        this.context = context;
        this.link = link;
        this.owner = owner;
    }

    /**
     * Said before anything is read: what cannot be let in is told so at once. One without TLS is
     * told with the id of its first message, which also says which token was seen in clear text.
     */
    void opened() {
        if (source.encrypted()) {
            ConnectionRefusal.of(source, context.admitsPublic())
                    .ifPresent(why -> refuse(null, why.code(), why.message(), why.remediation()));
        }
    }

    /** Nothing has come for a moment. */
    void quiet() {
        if (!source.encrypted() && !hasSpoken) {
            tellInsecure(null);
        }
    }

    private void tellInsecure(@Nullable String id) {
        var why = ConnectionRefusal.INSECURE;
        tell(id, why.code(), why.message(), why.remediation());
    }

    void received(String text) {
        hasSpoken = true;
        if (!source.encrypted()) {
            insecure(text);
            return;
        }
        GatewayFrame frame;
        try {
            frame = GatewayFrame.parse(text);
        } catch (MalformedJsonException e) {
            malformed(GatewayFrame.idIn(text), e);
            return;
        }
        try {
            if (refused) {
                return;
            }
            received(DeviceMessageType.of(frame), frame);
        } catch (MalformedJsonException e) {
            malformed(frame.id(), e);
        } catch (RuntimeException e) {
            link.send(ErrorFrames.of(frame, e));
        }
    }

    private void received(DeviceMessageType type, GatewayFrame frame)
            throws MalformedJsonException {
        var known = device;
        if (type.isAcceptedAt(Stage.OPENED)) {
            handle(DeviceProtocol.parse(type, frame), frame);
        } else if (known == null) {
            refuse(frame.id(), "AUTH_FAILED", "The first message must be auth", null);
        } else {
            admitted(known, type, frame);
        }
    }

    /** A pairing token that came in clear text may be known to anybody. */
    private void insecure(String text) {
        try {
            var frame = GatewayFrame.parse(text);
            context.devices().burn(frame.fields().string("token").orElse(""));
        } catch (MalformedJsonException e) {
            // There is no token in it.
        }
        tellInsecure(GatewayFrame.idIn(text));
        link.close(ConnectionRefusal.INSECURE.code());
    }

    /** The connection ends with this. */
    void refuse(@Nullable String id, String code, String message, @Nullable String remediation) {
        refused = true;
        tell(id, code, message, remediation);
        link.close(code);
    }

    private void tell(
            @Nullable String id, String code, String message, @Nullable String remediation) {
        var documentation = remediation == null ? null : context.welcome().documentation();
        link.send(ErrorFrames.ofConnection(code, message, documentation, remediation).withId(id));
    }

    /** Nothing that lets it in has come for too long. */
    void expired() {
        if (!source.encrypted()) {
            link.close(ConnectionRefusal.INSECURE.code()); // which it was told
        } else if (device == null) {
            refuse(null, "AUTH_FAILED", "No auth came within ten seconds", null);
        }
    }

    /** The device was let in, and may not stay. */
    void end(String code, String message, String remediation) {
        if (!refused) {
            refuse(null, code, message, remediation);
        }
    }

    private void tokenEnded(String reason) {
        end("AUTH_FAILED", reason, "Pair it again");
    }

    private void malformed(@Nullable String id, MalformedJsonException e) {
        if (device == null) {
            refuse(id, "AUTH_FAILED", "The first message must be auth, as JSON", null);
        } else {
            error(id, GatewayError.BRIDGE_ERROR, "That message cannot be read: " + e.getMessage());
        }
    }

    private void error(@Nullable String id, GatewayError code, String message) {
        link.send(ErrorFrames.of(id, code, message));
    }

    private void authenticate(Auth message, GatewayFrame frame) {
        if (device != null) {
            error(frame.id(), GatewayError.BRIDGE_ERROR, "This connection has been let in already");
            return;
        }
        var version = message.clientVersion();
        if (!ClientVersion.isCompatible(version)) {
            refuse(
                    frame.id(),
                    "VERSION_INCOMPATIBLE",
                    "client_version \"%s\" is not one that this gateway speaks; it speaks 0 and 1"
                            .formatted(version),
                    "Update the app or the server");
            return;
        }
        switch (context.authenticator().authenticate(message.token()).orElse(null)) {
            case DeviceIdentity _ -> enter(message, frame.id());
            case ApiKeyIdentity _ ->
                    wrongToken(
                            frame.id(),
                            "This is an API key, and the gateway needs a device token",
                            "Pair the device (ash devices pair) and use the token that this shows");
            case null -> wrongToken(frame.id(), INVALID_TOKEN, null);
        }
    }

    /** Only wrong tokens are limited: others behind the same address have right ones. */
    private void wrongToken(@Nullable String id, String message, @Nullable String remediation) {
        var address = Connections.address(source.address());
        if (context.failures().tooMany(address)) {
            refuse(
                    id,
                    "RATE_LIMITED",
                    "Too many wrong tokens came from this address; try again in a minute",
                    null);
            return;
        }
        context.failures().failed(address);
        refuse(id, "AUTH_FAILED", message, remediation);
    }

    private void enter(Auth message, @Nullable String id) {
        said = message.capabilities();
        isProbe = message.isProbe();
        boolean wantsToken = said.contains(Capability.DEVICE_TOKEN);
        var entrance = context.devices().enter(message.token(), message.platform(), wantsToken);
        if (entrance.isEmpty()) { // another device has paired with it just now
            wrongToken(id, INVALID_TOKEN, null);
            return;
        }
        entering.lock();
        try {
            enter(entrance.get(), id);
        } finally {
            entering.unlock();
        }
    }

    private void enter(Devices.Entrance entrance, @Nullable String id) {
        var known = entrance.device();
        device = known;
        owner.authenticated(known);
        registration = context.authenticator().whileValid(known.identity(), this::tokenEnded);
        if (over) {
            closed(); // it has gone meanwhile
        }
        // Only now does a revocation reach this connection: one that came before it is seen here.
        if (!context.authenticator().isValid(known.identity())) {
            tokenEnded("This device was revoked");
        }
        if (refused) {
            return;
        }
        var payload =
                context.welcome()
                        .addTo(JsonWriter.object(), known)
                        .put("connection_mode", source.mode().wire())
                        .put("connection_mode_description", source.description())
                        .put("requires_health_verification", true)
                        .put("purpose", isProbe ? "probe" : "primary")
                        .put("device_token", entrance.newToken());
        if (said.contains(Capability.SCOPES)) {
            payload.put("scopes", DeviceScopes.names(known.scopes()))
                    .put("token_expires_at", iso(known.tokenExpiresAt()));
        }
        link.send(GatewayFrame.of("connection_ack", payload).withId(id));
        if (isReady(known)) {
            openChannel(known);
        }
    }

    private static @Nullable String iso(@Nullable Long millis) {
        return millis == null ? null : Instant.ofEpochMilli(millis).toString();
    }

    /** What was missed follows; not to a probe, which only looks whether anybody is here. */
    private void openChannel(Device known) {
        entering.lock();
        try {
            if (refused || isProbe || channel != null) {
                return;
            }
            channel = context.channels().open(known, link, said);
        } finally {
            entering.unlock();
        }
        if (over) {
            closed(); // it has gone meanwhile
        }
    }

    private boolean waitsForAcknowledgement() {
        return source.mode() == ConnectionMode.DIRECT_PUBLIC
                && channel == null
                && !isProbe
                && !refused;
    }

    /** The device has acknowledged the warning on another connection, which opens this one too. */
    void acknowledged() {
        entering.lock();
        try {
            var known = device;
            if (known != null && waitsForAcknowledgement()) {
                link.send(accepted(WARNING, acceptsClock(known)));
                openChannel(known);
            }
        } finally {
            entering.unlock();
        }
    }

    /** Whether a person has accepted how it connects, where that is needed. */
    private boolean isReady(Device known) {
        return source.mode() != ConnectionMode.DIRECT_PUBLIC
                || context.devices().isAcknowledged(known);
    }

    /** Looked at now and then: what a person has accepted does not hold for ever. */
    void lookAgain() {
        var known = device;
        if (known != null && channel != null && !isReady(known)) {
            link.close("The acknowledgement of " + WARNING + " has lapsed; connect again");
        }
    }

    void pong(long number) {
        var served = channel;
        if (served != null) {
            served.pong(number);
        }
    }

    /** Elsewhere, because the one who sends may be the one who finds out. */
    void closed() {
        over = true;
        var registered = registration;
        if (registered != null) {
            registered.close();
        }
        var served = channel;
        if (served != null) {
            Thread.ofVirtual().name("gateway-close").start(served::close);
        }
    }

    private void admitted(Device known, DeviceMessageType type, GatewayFrame frame)
            throws MalformedJsonException {
        var missing = type.missingScopes(known.identity());
        if (!missing.isEmpty()) {
            link.send(ErrorFrames.ofScopes(frame, missing, known.identity().scopes()));
            return;
        }
        boolean ready = isReady(known);
        if (!type.isAcceptedAt(ready ? Stage.ACKNOWLEDGED : Stage.ADMITTED)) {
            error(frame.id(), GatewayError.BRIDGE_ERROR, NOT_ACKNOWLEDGED);
            return;
        }
        if (ready) {
            openChannel(known); // if it was acknowledged elsewhere
        }
        var at = channel;
        if (type.ordering() == Ordering.ON_CONNECTION) {
            handle(DeviceProtocol.parse(type, frame), frame);
        } else if (at != null) {
            at.take(type, frame);
        } else {
            error(
                    frame.id(),
                    GatewayError.BRIDGE_ERROR,
                    isProbe
                            ? "This connection is a probe, which answers health_check alone"
                            : NOT_ACKNOWLEDGED);
        }
    }

    private void handle(DeviceMessage message, GatewayFrame frame) {
        var known = device;
        switch (message) {
            case HeartbeatPing _ ->
                    link.send(
                            GatewayFrame.of("heartbeat_pong", JsonWriter.object())
                                    .withId(frame.id()));
            case Auth auth -> authenticate(auth, frame);
            case CheckHealth check -> checkHealth(Objects.requireNonNull(known), check, frame);
            case AcknowledgeWarning warning ->
                    acknowledge(Objects.requireNonNull(known), warning, frame);
            case Request request -> throw new IllegalStateException("not handled: " + request);
        }
    }

    private void checkHealth(Device known, CheckHealth message, GatewayFrame frame) {
        said = message.capabilities();
        var at = channel;
        if (at != null) {
            at.capabilities(said);
        }
        isSkewed = HealthCheck.isSkewed(context, message);
        link.send(
                HealthCheck.answer(
                                source,
                                context,
                                known,
                                message,
                                isReady(known),
                                acceptsClock(known))
                        .withId(frame.id()));
    }

    /** Whether the clock of the device is right, or a person has accepted that it is not. */
    private boolean acceptsClock(Device known) {
        return !isSkewed || context.devices().isClockAccepted(known);
    }

    private void acknowledge(Device known, AcknowledgeWarning message, GatewayFrame frame) {
        var code = message.code();
        boolean isOfMode = code.equals(WARNING) && source.mode() == ConnectionMode.DIRECT_PUBLIC;
        boolean isOfClock = code.equals(HealthCheck.CLOCK_SKEW) && isSkewed;
        if (!isOfMode && !isOfClock) {
            error(
                    frame.id(),
                    GatewayError.BRIDGE_ERROR,
                    "There is no warning \"%s\" to acknowledge".formatted(code));
        } else if (!message.isAcknowledged()) {
            error(
                    frame.id(),
                    GatewayError.BRIDGE_ERROR,
                    "acknowledged must be true; without it this connection stays closed to requests");
        } else if (isOfClock) {
            context.devices().acceptClock(known);
            link.send(accepted(code, isReady(known)).withId(frame.id()));
        } else {
            context.devices().acknowledge(known);
            link.send(accepted(code, acceptsClock(known)).withId(frame.id()));
            openChannel(known);
            owner.acknowledged(known);
        }
    }

    private static GatewayFrame accepted(String code, boolean ready) {
        return GatewayFrame.of(
                "acknowledgment_accepted",
                JsonWriter.object()
                        .put("warning_code", code)
                        .put("ready", ready)
                        .put("session_timeout", "8h"));
    }
}
