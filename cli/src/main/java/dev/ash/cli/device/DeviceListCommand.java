package dev.ash.cli.device;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.DeviceApi;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;

/** Implements {@code ash devices list}. */
@Command(name = "list", description = "List paired devices and open pairings.")
final class DeviceListCommand extends AshCommand {
    DeviceListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var devices = client().devices().list();
        var result = new DeviceApi.Devices(devices);
        if (devices.isEmpty()) {
            return printList(result, "", "No devices. Pair one: ash devices pair");
        }
        var table = new Table().row("ID", "NAME", "PLATFORM", "STATE", "SCOPES", "LAST SEEN");
        for (var device : devices) {
            table.row(
                    DeviceRevokeCommand.shortId(device),
                    Printable.abbreviate(device.name(), 40),
                    device.platform() == null ? "" : device.platform(),
                    state(device),
                    device.scopes() == null ? "" : String.join(",", device.scopes()),
                    device.lastSeenAt() == null ? "never" : device.lastSeenAt());
        }
        return print(result, table.toString());
    }

    private static String state(DeviceApi.Device device) {
        if (isPast(device.tokenExpiresAt())) {
            return "expired";
        }
        if (device.connected() || device.paired()) {
            var state = device.connected() ? "connected" : "paired";
            return device.tokenExpiresAt() == null
                    ? state
                    : state + " until " + device.tokenExpiresAt();
        }
        return isPast(device.expiresAt()) ? "expired" : "waiting until " + device.expiresAt();
    }

    private static boolean isPast(@Nullable String time) {
        try {
            return time != null && Instant.parse(time).isBefore(Instant.now());
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
