package dev.ash.bridge;

import dev.ash.bridge.relay.EgressRelay;
import dev.ash.protocol.Limits;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;

/**
 * The training run for the AOT cache of the JVM. Starts a bridge and connects to it as a server, to
 * exercise what a sandbox usually does: attach and acknowledge, a turn of the demo, a turn of a
 * program that imitates Claude Code, a shell command, and a connection through the relay.
 */
final class AotTraining {
    private static final String SESSION = "00000000-0000-4000-8000-000000000000";

    private static final String CLAUDE =
            """
            #!/bin/sh
            read -r initialize
            echo '{"type":"control_response","response":{"subtype":"success","request_id":"ash-initialize"}}'
            read -r prompt
            echo '{"type":"system","subtype":"init","session_id":"none","tools":[]}'
            echo '{"type":"stream_event","event":{"type":"message_start"}}'
            echo '{"type":"assistant","message":{"role":"assistant","content":[]}}'
            echo '{"type":"result","subtype":"success","is_error":false,"session_id":"none"}'
            read -r end
            """;

    /** Uses a bridge that was opened as in a sandbox, in a directory for the training run. */
    static void run(Bridge bridge) throws IOException {
        try (bridge;
                var channel = SocketChannel.open(UnixDomainSocketAddress.of(bridge.socket()))) {
            var in = new JsonLinesReader(new ChannelInput(channel), Limits.MAX_LINE_BYTES);
            var out = new JsonLinesWriter(new ChannelOutput(channel));
            send(out, new BridgeCommand.Attach(0));
            send(out, new BridgeCommand.Exec("1", "echo hello", 5000));
            await(in, BridgeEvent.ExecResult.class);
            send(out, new BridgeCommand.Configure(SESSION, demo()));
            send(out, new BridgeCommand.Start());
            send(out, query("2", "hello"));
            await(in, BridgeEvent.Done.class);
            send(out, new BridgeCommand.Ack(1));
            send(out, query("3", "demo: messages 1"));
            await(in, BridgeEvent.Done.class);
            send(out, new BridgeCommand.Configure(SESSION, claude(bridge.workspace())));
            send(out, query("4", "hello"));
            await(in, BridgeEvent.Done.class);
            relay(bridge.socket());
        }
    }

    /** Opens one connection through the relay, with the bridge's own socket as the proxy. */
    private static void relay(Path socket) throws IOException {
        try (var relay = EgressRelay.open(socket, 0);
                var client =
                        SocketChannel.open(
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), relay.port()))) {
            if (new ChannelInput(client).read() < 0) {
                throw new IOException("the training run could not use the relay");
            }
        }
    }

    private static EngineConfig demo() {
        return config("demo", Map.of());
    }

    private static EngineConfig claude(Path directory) throws IOException {
        var program = directory.resolve("claude");
        Files.writeString(program, CLAUDE);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        return config("claude", Map.of("CLAUDE_CODE_EXECUTABLE", program.toString()));
    }

    private static EngineConfig config(String engine, Map<String, String> environment) {
        return new EngineConfig(
                engine,
                null,
                null,
                null,
                PermissionMode.BYPASS_PERMISSIONS.wire(),
                null,
                null,
                null,
                List.of(),
                List.of(),
                List.of(),
                environment,
                null);
    }

    private static BridgeCommand query(String turnId, String prompt) {
        var options = new TurnOptions(true, null, null, null, null, null, null);
        return new BridgeCommand.Query(RawJson.string(prompt), SESSION, turnId, options);
    }

    private static void send(JsonLinesWriter out, BridgeCommand command) throws IOException {
        out.write(BridgeProtocol.encode(command));
    }

    private static void await(JsonLinesReader in, Class<? extends BridgeEvent> expected)
            throws IOException {
        for (var line = in.next(); line != null; line = in.next()) {
            var event = BridgeProtocol.decodeEvent(line).event();
            if (event instanceof BridgeEvent.Failed(var error, _)) {
                throw new IOException("the training run failed: " + error);
            }
            if (expected.isInstance(event)) {
                return;
            }
        }
        throw new IOException("the training run ended early");
    }

    private AotTraining() {}
}
