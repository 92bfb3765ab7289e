package dev.ash.cli;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;

/**
 * Records the JVM's AOT cache: runs common commands against a stub server, so that the cache
 * contains their classes. The launcher runs it in the background.
 */
final class AotTraining {
    private static final String RESPONSE =
            "{\"status\":\"ok\",\"version\":\"0\",\"coordinatorId\":\"c\",\"activeSessions\":0,\"activeSandboxes\":0,\"remoteRunners\":0,\"uptime\":1,\"pool\":{\"total\":0,\"maxCapacity\":1},\"isolation\":{\"kind\":\"none\",\"network\":\"host\"},\"engine\":\"demo\",\"agents\":[{\"name\":\"a\",\"version\":1}],\"agent\":{\"name\":\"a\",\"version\":1},\"sessions\":[{\"id\":\"s\",\"agentName\":\"a\",\"status\":\"active\"}],\"total\":1,\"session\":{\"id\":\"s\",\"agentName\":\"a\",\"status\":\"active\"},\"files\":[],\"approvals\":[],\"pairs\":[],\"exitCode\":0,\"stdout\":\"\",\"stderr\":\"\"}";

    private static final String STREAM =
            "event: session_start\ndata: {\"sessionId\":\"s\"}\n\nevent: text_delta\ndata: {\"delta\":\"a\"}\n\nevent: tool_use\ndata: {\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"ls\"}}\n\nevent: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"ab\"}]}}\nid: 1\n\nevent: done\ndata: {\"sessionId\":\"s\"}\nid: 2\n\n";

    private static final String[][] COMMANDS = {
        {"health"},
        {"health", "--json"},
        {"version"},
        {"--help"},
        {"status"},
        {"agent", "list"},
        {"session", "list"},
        {"session", "create", "a"},
        {"session", "send", "s", "hello"},
        {"session", "send", "s", "hello", "--json"},
        {"session", "exec", "s", "ls"},
        {"session", "end", "s"},
        {"chat", "a", "hello"},
        {"approvals", "list"},
        {"pair", "list"},
    };

    private AotTraining() {}

    static int run(Host host) {
        try (var listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> serve(listener));
            var env = new HashMap<>(host.env());
            env.put("ASH_SERVER_URL", "http://localhost:" + listener.getLocalPort());
            env.put("ASH_API_KEY", "training");
            var discarding =
                    new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
            var quiet =
                    new Host(
                            env,
                            host.home(),
                            host.workingDirectory(),
                            host.dist(),
                            InputStream.nullInputStream(),
                            discarding,
                            discarding,
                            Host.Terminals.NONE);
            for (var command : COMMANDS) {
                Main.run(quiet, command);
            }
            McpAotTraining.run(quiet);
            StartAotTraining.run(quiet);
            return ExitCode.OK;
        } catch (IOException e) {
            return ExitCode.FAILED;
        }
    }

    private static void serve(ServerSocket listener) {
        while (true) {
            try (var socket = listener.accept()) {
                var in =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.UTF_8));
                var isStream = String.valueOf(in.readLine()).contains("/messages");
                int length = 0;
                for (var line = in.readLine();
                        line != null && !line.isEmpty();
                        line = in.readLine()) {
                    if (line.startsWith("Content-Length: ")) {
                        length = Integer.parseInt(line.substring(16));
                    }
                }
                in.skip(length);
                var type = isStream ? "text/event-stream" : "application/json";
                var head = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n\r\n";
                socket.getOutputStream()
                        .write(
                                (head + (isStream ? STREAM : RESPONSE))
                                        .getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                return;
            }
        }
    }
}
