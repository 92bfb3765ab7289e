package dev.ash.cli.device;

import dev.ash.cli.command.Subcommands;

/** The commands about devices. */
public final class DeviceCommands {
    private DeviceCommands() {}

    public static Subcommands group() {
        return new Subcommands("Let phones and browsers steer sessions, or not any more.")
                .add("pair", DevicePairCommand::new)
                .add("list", DeviceListCommand::new)
                .add("revoke", DeviceRevokeCommand::new);
    }
}
