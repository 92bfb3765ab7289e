package dev.ash.cli.device;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.protocol.rest.DeviceApi;
import dev.ash.sdk.DevicesClient;
import java.time.Duration;

/** Waits until a device has used the code that it was shown. */
final class PairingWait {
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** A code works for ten minutes; by this clock, since that of the server may be another. */
    private static final Duration LONGEST = Duration.ofMinutes(10).plusSeconds(10);

    private final DevicesClient devices;

    PairingWait(DevicesClient devices) {
        this.devices = devices;
    }

    /** The device, once it has paired. */
    DeviceApi.Device await(String id) {
        long deadline = System.nanoTime() + LONGEST.toNanos();
        while (System.nanoTime() < deadline) {
            var device = devices.list().stream().filter(each -> each.id().equals(id)).findFirst();
            if (device.isEmpty()) {
                throw new Failure("The code was revoked. For another: ash devices pair");
            }
            if (device.get().paired()) {
                return device.get();
            }
            pause();
        }
        throw new Failure(
                "No device has used the code, and it has expired. For another: ash devices pair");
    }

    /** By the name that it was given, or by what it says it is. */
    static String name(DeviceApi.Device device) {
        var platform = device.platform();
        return device.name().equals("device") && platform != null ? platform : device.name();
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(ExitCode.INTERRUPTED, "interrupted");
        }
    }
}
