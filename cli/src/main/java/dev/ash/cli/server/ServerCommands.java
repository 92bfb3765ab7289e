package dev.ash.cli.server;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import java.util.List;
import java.util.Optional;

/** Creates the commands for the server. */
public final class ServerCommands {
    private ServerCommands() {}

    /** Returns the command of a line of one word, without picocli, for a fast start. */
    public static Optional<AshCommand> parse(Host host, List<String> arguments) {
        if (arguments.size() != 1) {
            return Optional.empty();
        }
        return switch (arguments.getFirst()) {
            case "start" -> Optional.of(start(host));
            case "stop" -> Optional.of(stop(host));
            case "status" -> Optional.of(status(host));
            case "health" -> Optional.of(health(host));
            default -> Optional.empty();
        };
    }

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
