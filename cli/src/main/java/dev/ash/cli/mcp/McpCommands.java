package dev.ash.cli.mcp;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Subcommands;
import java.util.List;
import java.util.Optional;

/** Creates the commands that run MCP servers. */
public final class McpCommands {
    private McpCommands() {}

    /** Parses a command line without picocli, for a fast start; empty for other commands. */
    public static Optional<AshCommand> parse(Host host, List<String> arguments) {
        return McpPairCommand.parse(host, arguments);
    }

    public static Subcommands group() {
        return new Subcommands("Run MCP servers for engines.").add("pair", McpPairCommand::new);
    }
}
