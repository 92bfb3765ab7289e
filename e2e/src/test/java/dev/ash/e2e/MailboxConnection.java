package dev.ash.e2e;

import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * Connection of an engine to the mailbox of a pair, in the format of the engine's configuration.
 */
sealed interface MailboxConnection {
    JsonMapper MAPPER = new JsonMapper();

    /** The engine starts this command as its MCP server. */
    record Stdio(List<String> command) implements MailboxConnection {}

    /** The engine connects to a server with a token. */
    record Http(String url, String token) implements MailboxConnection {}

    /** Returns the configuration for Claude Code. */
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

    /** Returns the configuration for Codex; the token is in {@code PAIR_TOKEN}. */
    default String toml(String mailboxDirectory) {
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
                                            .map(MailboxConnection::quoted)
                                            .collect(Collectors.joining(", ")),
                                    quoted(mailboxDirectory));
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

    /** Quotes a text; a JSON string is also a valid TOML string. */
    private static String quoted(String text) {
        return MAPPER.writeValueAsString(text);
    }
}
