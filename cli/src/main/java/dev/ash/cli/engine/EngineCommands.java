package dev.ash.cli.engine;

import dev.ash.cli.command.Subcommands;

/** Creates the commands for engines. */
public final class EngineCommands {
    private EngineCommands() {}

    public static Subcommands group() {
        return new Subcommands("List, install and check engines.")
                .add("list", EngineListCommand::new)
                .add("install", EngineInstallCommand::new)
                .add("doctor", EngineDoctorCommand::new);
    }
}
