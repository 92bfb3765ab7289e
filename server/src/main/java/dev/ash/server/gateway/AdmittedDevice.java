package dev.ash.server.gateway;

import dev.ash.server.device.Device;
import dev.ash.server.identity.Authenticator;
import java.util.Set;

/** The device of an admitted connection, and what it has declared on this connection. */
final class AdmittedDevice implements AutoCloseable {
    private final Device device;
    private final boolean isProbe;
    private final Authenticator.Registration registration;
    private volatile Set<Capability> capabilities;
    private volatile boolean isClockSkewed;

    /** {@code isProbe}: it only checks whether the server is available. */
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

    /** As of its last health check. */
    boolean isClockSkewed() {
        return isClockSkewed;
    }

    void checked(Set<Capability> declared, boolean isSkewed) {
        capabilities = Set.copyOf(declared);
        isClockSkewed = isSkewed;
    }

    /** Stops waiting for its revocation or expiry. */
    @Override
    public void close() {
        registration.close();
    }
}
