package dev.ash.bridge;

import dev.ash.protocol.Limits;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.function.Consumer;

/** A connection from a server: one thread reads commands, another one writes events. */
final class Connection implements AutoCloseable {
    private final SocketChannel channel;

    Connection(SocketChannel channel) {
        this.channel = channel;
    }

    /** Passes on all commands until the server disconnects or sends a malformed line. */
    void read(Consumer<BridgeCommand> commands) {
        var lines = new JsonLinesReader(new ChannelInput(channel), Limits.MAX_LINE_BYTES);
        try {
            for (var line = lines.next(); line != null; line = lines.next()) {
                commands.accept(decode(line));
            }
        } catch (MalformedJsonException e) {
            System.err.println(
                    "bridge: malformed command: " + e.getMessage() + "; closing the connection");
        } catch (IOException e) {
            // The server disconnected, or another server replaced it.
        }
    }

    private static BridgeCommand decode(RawJson line) throws MalformedJsonException {
        try {
            return BridgeProtocol.decodeCommand(line);
        } catch (RuntimeException e) {
            throw new MalformedJsonException("value out of range: " + e);
        }
    }

    /** Sends {@code ready}, then events until the outbox has no more for this connection. */
    void write(RawJson ready, Outbox outbox) {
        var out = new BufferedOutputStream(new ChannelOutput(channel), 64 * 1024);
        var batch = List.of(ready);
        try {
            while (!batch.isEmpty()) {
                for (var line : batch) {
                    line.writeTo(out);
                    out.write('\n');
                }
                out.flush();
                batch = outbox.take(this);
            }
        } catch (IOException e) {
            outbox.returnUnwritten(this);
            close();
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            System.err.println("bridge: closing a connection failed: " + e);
        }
    }
}
