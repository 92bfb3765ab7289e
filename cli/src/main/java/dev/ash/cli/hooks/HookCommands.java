package dev.ash.cli.hooks;

import dev.ash.cli.command.Subcommands;

/** The commands about hooks. */
public final class HookCommands {
    private HookCommands() {}

    public static Subcommands group() {
        return new Subcommands("Approve elsewhere what Claude Code asks in your own terminals.")
                .add("install", HooksInstallCommand::new)
                .add("uninstall", HooksUninstallCommand::new)
                .add("status", HooksStatusCommand::new);
    }
}
