package dev.ash.server.gateway;

import dev.ash.server.device.Device;
import dev.ash.server.identity.Authenticator;
import java.util.Set;

/** The device of an admitted connection, and the properties that it has declared there. */
final class AdmittedDevice implements AutoCloseable {
    private final Device device;
    private final boolean isProbe;
    private final Authenticator.Registration registration;
    private volatile Set<Capability> capabilities;
    private volatile boolean isClockSkewed;

    /** A probe only checks whether the server is available. */
    AdmittedDevice(
            Device device,
            boolean isProbe,
            Set<Capability> capabilities,
            Authenticator.Registration registration) {
        this.device = device;
        this.isProbe = isProbe;
        this.capabilities = Set.copyOf(capabilities);
        this.registration = registration;
    }

    Device device() {
        return device;
    }

    boolean isProbe() {
        return isProbe;
    }

    Set<Capability> capabilities() {
        return capabilities;
    }

    /** Returns whether its clock was skewed at the last health check. */
    boolean isClockSkewed() {
        return isClockSkewed;
    }

    void recordHealthCheck(Set<Capability> declared, boolean isSkewed) {
        capabilities = Set.copyOf(declared);
        isClockSkewed = isSkewed;
    }

    /** Stops observing its revocation and expiry. */
    @Override
    public void close() {
        registration.close();
    }
}
