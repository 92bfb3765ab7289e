package dev.ash.cli.device;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.DeviceApi;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "revoke",
        description = "Cut a device off, now and for good; it can be paired again.")
final class DeviceRevokeCommand extends AshCommand {
    private static final int SHORTEST = 4;
    private static final int SHORT = 8;

    @Parameters(
            paramLabel = "DEVICE",
            description = "Its name, its id, or the id's first characters (at least 4).")
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
        return id.substring(0, Math.min(SHORT, id.length()));
    }

    /** A name that begins another's id names two: whom to cut off is not to be guessed. */
    private DeviceApi.Device find(List<DeviceApi.Device> devices) {
        var exact = devices.stream().filter(each -> each.id().equals(device)).toList();
        var found = exact.isEmpty() ? devices.stream().filter(this::isMeant).toList() : exact;
        return switch (found.size()) {
            case 0 ->
                    throw new Failure(
                            ExitCode.NOT_FOUND,
                            "There is no device with the name or id \"%s\"; of an id give at least the first %d characters. `ash devices list` shows those there are."
                                    .formatted(device, SHORTEST));
            case 1 -> found.getFirst();
            default ->
                    throw new Failure(
                            ExitCode.USAGE,
                            "\"%s\" names %d devices. Give the id of one, or more of it: %s"
                                    .formatted(device, found.size(), some(found)));
        };
    }

    private boolean isMeant(DeviceApi.Device each) {
        return each.name().equals(device)
                || (device.length() >= SHORTEST && each.id().startsWith(device));
    }

    private static String some(List<DeviceApi.Device> found) {
        return found.stream()
                        .limit(5)
                        .map(each -> "%s (%s)".formatted(each.id(), Printable.line(each.name())))
                        .collect(Collectors.joining(", "))
                + (found.size() > 5 ? ", …" : "");
    }
}
