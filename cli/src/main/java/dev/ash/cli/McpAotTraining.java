package dev.ash.cli;

import dev.ash.cli.command.Host;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;

/** The part of {@link AotTraining} for the MCP server of pairs: runs a short MCP conversation. */
final class McpAotTraining {
    private static final String REQUESTS =
            """
            {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
            {"jsonrpc":"2.0","method":"notifications/initialized"}
            {"jsonrpc":"2.0","id":1,"method":"tools/list"}
            {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bridge_status","arguments":{}}}
            {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"send_to_agent","arguments":{"to":"codex","message_type":"chat","content":"ä"}}}
            {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"receive_messages","arguments":{"agent":"claude","wait_seconds":1}}}
            {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"receive_messages","arguments":{"since_id":"1"}}}
            """;

    private McpAotTraining() {}

    static void run(Host quiet) throws IOException {
        var directory = Files.createTempDirectory("ash-training");
        try {
            var env = new HashMap<>(quiet.env());
            env.put("ASH_PAIR_DIR", directory.toString());
            var host =
                    new Host(
                            env,
                            directory,
                            directory,
                            quiet.dist(),
                            new ByteArrayInputStream(REQUESTS.getBytes(StandardCharsets.UTF_8)),
                            quiet.out(),
                            quiet.err(),
                            Host.Terminals.NONE);
            Main.run(host, "mcp", "pair", "--run", "1", "--peer", "claude");
        } finally {
            delete(directory);
        }
    }

    static void delete(Path directory) throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
