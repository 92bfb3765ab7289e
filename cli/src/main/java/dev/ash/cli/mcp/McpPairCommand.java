package dev.ash.cli.mcp;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.pair.PeerName;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mcp.LoopContext;
import dev.ash.pair.mcp.PairTools;
import dev.ash.pair.mcp.Role;
import dev.ash.pair.mcp.StdioServer;
import dev.ash.pair.mcp.ToolUser;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.RunDirectories;
import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash mcp pair}. */
@Command(
        name = "pair",
        description = {
            "Serve the mailbox of a pair run to one of its peers: an MCP server on standard input and output.",
            "Does not require an Ash server. The peer is always the one given by --peer.",
            "",
            "  claude --mcp-config '{\"mcpServers\":{\"pair\":{\"command\":\"ash\",\"args\":[\"mcp\",\"pair\",\"--run\",\"1\",\"--peer\",\"claude\"]}}}'"
        })
final class McpPairCommand extends AshCommand {
    @Option(
            names = "--run",
            required = true,
            paramLabel = "RUN",
            description = "Number or name of the run; created if it does not exist.")
    String run = "";

    @Option(
            names = "--peer",
            required = true,
            paramLabel = "NAME",
            description = "Name of the peer that uses this server, such as claude.")
    String peer = "";

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            description = "All peers of the run, comma-separated. Default: claude,codex.")
    List<String> peers = List.of("claude", "codex");

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            description = "worker or reviewer; a reviewer also has the tool submit_verdict.")
    String role = "peer";

    @Option(
            names = "--repo",
            paramLabel = "DIRECTORY",
            description = "A directory in the repository of the run. Default: the current one.")
    String repository = "";

    McpPairCommand(Host host) {
        super(host);
    }

    /**
     * Parses a command line that consists only of options with values, as engines use it, without
     * picocli, whose initialization would dominate the startup time. Empty for other lines, which
     * picocli handles.
     */
    static Optional<AshCommand> parse(Host host, List<String> arguments) {
        if (arguments.size() % 2 != 0 || !arguments.subList(0, 2).equals(List.of("mcp", "pair"))) {
            return Optional.empty();
        }
        var command = new McpPairCommand(host);
        for (int i = 2; i < arguments.size(); i += 2) {
            if (!command.set(arguments.get(i), arguments.get(i + 1))) {
                return Optional.empty();
            }
        }
        return command.run.isEmpty() || command.peer.isEmpty()
                ? Optional.empty()
                : Optional.of(command);
    }

    private boolean set(String option, String value) {
        switch (option) {
            case "--run" -> run = value;
            case "--peer" -> peer = value;
            case "--peers" -> peers = List.of(value.split(",", -1));
            case "--role" -> role = value;
            case "--repo" -> repository = value;
            default -> {
                return false;
            }
        }
        return !value.startsWith("-");
    }

    @Override
    public Integer call() {
        try {
            var user =
                    ToolUser.of(
                            new PeerName(peer), peers.stream().map(PeerName::new).toList(), role());
            var runDirectory =
                    RunDirectories.of(host.env(), host.home())
                            .open(Repository.of(host.resolve(repository)), run);
            try (var mailbox = Mailbox.open(runDirectory.path(), runDirectory.runId());
                    var connection = new PairTools(mailbox, user, LoopContext.NONE).connect()) {
                new StdioServer(connection, host.in(), host.out()).run();
            }
            return ExitCode.OK;
        } catch (ApiException e) {
            throw new CommandException(ExitCode.USAGE, e.message() + ".");
        } catch (IOException e) {
            throw new CommandException(
                    "Cannot open the mailbox of run %s (%s).".formatted(run, IoReason.of(e)));
        }
    }

    private Role role() {
        return switch (role) {
            case "peer" -> Role.PEER;
            case "worker" -> Role.WORKER;
            case "reviewer" -> Role.REVIEWER;
            default ->
                    throw new CommandException(
                            ExitCode.USAGE,
                            "Invalid role \"%s\": expected worker or reviewer.".formatted(role));
        };
    }
}
