package dev.ash.cli.device;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for devices. */
public final class DeviceCommands {
    private DeviceCommands() {}

    public static Subcommands group() {
        return new Subcommands("Pair, list and revoke devices.")
                .add("pair", DevicePairCommand::new)
                .add("list", DeviceListCommand::new)
                .add("revoke", DeviceRevokeCommand::new);
    }
}
