package dev.ash.e2e;

import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/** How an engine reaches the mailbox of a pair, in the words of its own configuration. */
sealed interface McpDoor {
    JsonMapper MAPPER = new JsonMapper();

    /** Starts this as its MCP server. */
    record Stdio(List<String> command) implements McpDoor {}

    /** Connects to a server, and shows a token. */
    record Http(String url, String token) implements McpDoor {}

    /** For Claude Code. */
    default String json() {
        var config = MAPPER.createObjectNode();
        var pair = config.putObject("mcpServers").putObject("pair");
        switch (this) {
            case Stdio(var command) -> {
                pair.put("command", command.getFirst());
                var args = pair.putArray("args");
                command.stream().skip(1).forEach(args::add);
            }
            case Http(var url, var token) -> {
                pair.put("type", "http").put("url", url);
                pair.putObject("headers").put("Authorization", "Bearer " + token);
            }
        }
        return MAPPER.writeValueAsString(config);
    }

    /** For Codex, with the folder of the mailboxes; the token is in {@code PAIR_TOKEN}. */
    default String toml(String pairs) {
        return switch (this) {
            case Stdio(var command) ->
                    """
                    command = %s
                    args = [%s]
                    env = { ASH_PAIR_DIR = %s }
                    """
                            .formatted(
                                    quoted(command.getFirst()),
                                    command.stream()
                                            .skip(1)
                                            .map(McpDoor::quoted)
                                            .collect(Collectors.joining(", ")),
                                    quoted(pairs));
            case Http(var url, _) ->
                    """
                    url = %s
                    bearer_token_env_var = "PAIR_TOKEN"
                    """
                            .formatted(quoted(url));
        };
    }

    default String token() {
        return this instanceof Http(_, var token) ? token : "";
    }

    /** A JSON string is one of TOML too. */
    private static String quoted(String text) {
        return MAPPER.writeValueAsString(text);
    }
}
