package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.device.Devices;
import dev.ash.server.gateway.DeviceMessage.AcknowledgeWarning;
import java.util.Optional;

/** The warnings that the user of a device must acknowledge: public connection and clock skew. */
final class ConnectionWarnings {
    static final String PUBLIC_CONNECTION = "DIRECT_PUBLIC_CONNECTION";
    static final String CLOCK_SKEW = "CLOCK_SKEW";

    private final ConnectionSource source;
    private final Devices devices;

    ConnectionWarnings(ConnectionSource source, Devices devices) {
        this.source = source;
        this.devices = devices;
    }

    /** Returns whether there is no unacknowledged warning about the clock of the device. */
    boolean acceptsClock(AdmittedDevice device) {
        return !device.isClockSkewed() || devices.isClockSkewAcknowledged(device.device());
    }

    /** Returns why this acknowledgment is invalid; empty if it is valid. */
    Optional<String> problem(AdmittedDevice device, AcknowledgeWarning message) {
        var code = message.code();
        boolean isActive =
                (code.equals(PUBLIC_CONNECTION) && source.isPublic())
                        || (code.equals(CLOCK_SKEW) && device.isClockSkewed());
        if (!isActive) {
            return Optional.of("There is no warning \"%s\" to acknowledge".formatted(code));
        }
        return message.isAcknowledged()
                ? Optional.empty()
                : Optional.of(
                        "acknowledged must be true; the connection accepts no requests without it");
    }

    /** Returns the answer to an acknowledgment; {@code ready} if no other warning remains. */
    static GatewayFrame accepted(String code, boolean ready) {
        return GatewayFrame.of(
                "acknowledgment_accepted",
                JsonWriter.object()
                        .put("warning_code", code)
                        .put("ready", ready)
                        .put("session_timeout", "8h"));
    }
}
