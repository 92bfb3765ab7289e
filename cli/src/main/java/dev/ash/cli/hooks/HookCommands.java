package dev.ash.cli.hooks;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for hooks. */
public final class HookCommands {
    private HookCommands() {}

    public static Subcommands group() {
        return new Subcommands(
                        "Install hooks that forward Claude Code's prompts in your terminals to Ash.")
                .add("install", HooksInstallCommand::new)
                .add("uninstall", HooksUninstallCommand::new)
                .add("status", HooksStatusCommand::new);
    }
}
