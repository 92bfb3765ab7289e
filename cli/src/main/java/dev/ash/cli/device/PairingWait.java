package dev.ash.cli.device;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.protocol.rest.DeviceApi;
import dev.ash.sdk.DevicesClient;
import java.time.Duration;

/** Waits until a device has used its pairing code. */
final class PairingWait {
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

    /** A code is valid for ten minutes; measured locally, since the server's clock may differ. */
    private static final Duration TIMEOUT = Duration.ofMinutes(10).plusSeconds(10);

    private final DevicesClient devices;

    PairingWait(DevicesClient devices) {
        this.devices = devices;
    }

    /** Returns the device once it has paired. */
    DeviceApi.Device await(String id) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (System.nanoTime() < deadline) {
            var device = devices.list().stream().filter(each -> each.id().equals(id)).findFirst();
            if (device.isEmpty()) {
                throw new CommandException(
                        "The code was revoked. Create another with: ash devices pair");
            }
            if (device.get().paired()) {
                return device.get();
            }
            pause();
        }
        throw new CommandException(
                "The code expired before a device used it. Create another with: ash devices pair");
    }

    /** Returns the device's name, or its platform if it has no name. */
    static String name(DeviceApi.Device device) {
        var platform = device.platform();
        return device.name().equals("device") && platform != null ? platform : device.name();
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_INTERVAL);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException(ExitCode.INTERRUPTED, "interrupted");
        }
    }
}
