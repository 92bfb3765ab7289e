package dev.ash.cli.device;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.DeviceApi;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Implements {@code ash devices revoke}. */
@Command(
        name = "revoke",
        description = "Revoke a device and close its connections; it can be paired again.")
final class DeviceRevokeCommand extends AshCommand {
    private static final int MIN_PREFIX_LENGTH = 4;
    private static final int SHORT_ID_LENGTH = 8;

    @Parameters(
            paramLabel = "DEVICE",
            description = "Name, id, or the first characters of the id (at least 4).")
    String device = "";

    DeviceRevokeCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var found = find(client().devices().list());
        client().devices().revoke(found.id());
        return print(
                new AgentApi.Ok(true),
                "Revoked %s (%s)".formatted(Printable.line(found.name()), shortId(found)));
    }

    static String shortId(DeviceApi.Device device) {
        var id = device.id();
        return id.substring(0, Math.min(SHORT_ID_LENGTH, id.length()));
    }

    /** Finds the device; a name that is also the prefix of another's id is ambiguous. */
    private DeviceApi.Device find(List<DeviceApi.Device> devices) {
        var exact = devices.stream().filter(each -> each.id().equals(device)).toList();
        var found = exact.isEmpty() ? devices.stream().filter(this::matches).toList() : exact;
        return switch (found.size()) {
            case 0 ->
                    throw new CommandException(
                            ExitCode.NOT_FOUND,
                            "No device has the name or id \"%s\". Of an id, specify at least the first %d characters; `ash devices list` lists the devices."
                                    .formatted(device, MIN_PREFIX_LENGTH));
            case 1 -> found.getFirst();
            default ->
                    throw new CommandException(
                            ExitCode.USAGE,
                            "\"%s\" matches %d devices. Specify more characters of the id: %s"
                                    .formatted(device, found.size(), examples(found)));
        };
    }

    private boolean matches(DeviceApi.Device each) {
        return each.name().equals(device)
                || (device.length() >= MIN_PREFIX_LENGTH && each.id().startsWith(device));
    }

    private static String examples(List<DeviceApi.Device> found) {
        return found.stream()
                        .limit(5)
                        .map(each -> "%s (%s)".formatted(each.id(), Printable.line(each.name())))
                        .collect(Collectors.joining(", "))
                + (found.size() > 5 ? ", …" : "");
    }
}
