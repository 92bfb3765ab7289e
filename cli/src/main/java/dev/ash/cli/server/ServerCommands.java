package dev.ash.cli.server;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;

/** Creates the commands for the server. */
public final class ServerCommands {
    private ServerCommands() {}

    public static AshCommand start(Host host) {
        return new StartCommand(host);
    }

    public static AshCommand stop(Host host) {
        return new StopCommand(host);
    }

    public static AshCommand status(Host host) {
        return new StatusCommand(host);
    }

    public static AshCommand logs(Host host) {
        return new LogsCommand(host);
    }

    public static AshCommand health(Host host) {
        return new HealthCommand(host);
    }
}
