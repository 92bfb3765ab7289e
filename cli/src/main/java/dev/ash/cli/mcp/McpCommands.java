package dev.ash.cli.mcp;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Subcommands;
import java.util.List;
import java.util.Optional;

/** The commands that serve MCP. */
public final class McpCommands {
    private McpCommands() {}

    /** A command that need not wait for picocli; empty for any other line. */
    public static Optional<AshCommand> plain(Host host, List<String> words) {
        return McpPairCommand.plain(host, words);
    }

    public static Subcommands group() {
        return new Subcommands("Serve tools to engines, for them to start.")
                .add("pair", McpPairCommand::new);
    }
}
