package dev.ash.cli.mcp;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

@Command(
        name = "pair",
        description = {
            "Serve the mailbox of a pair to one of its peers: an MCP server on standard input and output.",
            "It needs no running Ash. The peer is who --peer says, whatever it says itself.",
            "",
            "  claude --mcp-config '{\"mcpServers\":{\"pair\":{\"command\":\"ash\",\"args\":[\"mcp\",\"pair\",\"--run\",\"1\",\"--peer\",\"claude\"]}}}'"
        })
final class McpPairCommand extends AshCommand {
    @Option(
            names = "--run",
            required = true,
            paramLabel = "RUN",
            description = "The run's number or name; made if new.")
    String run = "";

    @Option(
            names = "--peer",
            required = true,
            paramLabel = "NAME",
            description = "Whom this server speaks for, such as claude.")
    String peer = "";

    @Option(
            names = "--peers",
            split = ",",
            paramLabel = "NAME",
            description = "All peers of the run, by default claude,codex.")
    List<String> peers = List.of("claude", "codex");

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            description = "worker or reviewer; a reviewer has submit_verdict too.")
    String role = "peer";

    @Option(
            names = "--repo",
            paramLabel = "FOLDER",
            description = "A folder of the repository that the run is about, by default this one.")
    String repository = "";

    McpPairCommand(Host host) {
        super(host);
    }

    /**
     * The command of a line that has nothing but options with values, as engines start it, read
     * without picocli, which would take most of the time until the first answer. Empty for any
     * other line, such as one that picocli has to explain.
     */
    static Optional<AshCommand> plain(Host host, List<String> words) {
        if (words.size() % 2 != 0 || !words.subList(0, 2).equals(List.of("mcp", "pair"))) {
            return Optional.empty();
        }
        var command = new McpPairCommand(host);
        for (int i = 2; i < words.size(); i += 2) {
            if (!command.set(words.get(i), words.get(i + 1))) {
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
            var folder =
                    RunDirectories.of(host.env(), host.home())
                            .open(Repository.of(host.resolve(repository)), run);
            try (var mailbox = Mailbox.open(folder.path(), folder.runId());
                    var connection = new PairTools(mailbox, user, LoopContext.NONE).connect()) {
                new StdioServer(connection, host.in(), host.out()).run();
            }
            return ExitCode.OK;
        } catch (ApiException e) {
            throw new Failure(ExitCode.USAGE, e.message() + ".");
        } catch (IOException e) {
            throw new Failure(
                    "The mailbox of run %s cannot be used (%s).".formatted(run, IoReason.of(e)));
        }
    }

    private Role role() {
        return switch (role) {
            case "peer" -> Role.PEER;
            case "worker" -> Role.WORKER;
            case "reviewer" -> Role.REVIEWER;
            default ->
                    throw new Failure(
                            ExitCode.USAGE,
                            "There is no role \"%s\"; expected worker or reviewer."
                                    .formatted(role));
        };
    }
}
