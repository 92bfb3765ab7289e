package dev.ash.server.session.live;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import dev.ash.sandbox.BridgeClient;
import dev.ash.sandbox.Sandbox;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A sandbox without processes: the test reads the commands for the bridge. */
final class SocketSandbox implements Sandbox {
    private final SandboxId id = SandboxId.random();
    private final BridgeClient client;
    private final SocketChannel peer;
    private final JsonLinesReader commands;

    @Nullable String pressure;

    private SocketSandbox(BridgeClient client, SocketChannel peer) {
        this.client = client;
        this.peer = peer;
        this.commands = new JsonLinesReader(new ChannelInput(peer), 1024 * 1024);
    }

    /** A bridge without a nonce uses the plain protocol. */
    static SocketSandbox connect(Path socket, @Nullable String nonce) throws IOException {
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));
            var peer = CompletableFuture.supplyAsync(() -> accept(server, nonce));
            var client = BridgeClient.connect(socket, Duration.ofSeconds(20));
            return new SocketSandbox(client, peer.join());
        }
    }

    private static SocketChannel accept(ServerSocketChannel server, @Nullable String nonce) {
        try {
            var peer = server.accept();
            var ready = new BridgeEvent.Ready("sandbox", nonce, "demo");
            new JsonLinesWriter(new ChannelOutput(peer))
                    .write(BridgeProtocol.encode(EventFrame.of(ready)));
            return peer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the next command. */
    BridgeCommand received() throws IOException {
        return BridgeProtocol.decodeCommand(Objects.requireNonNull(commands.next()));
    }

    @Override
    public SandboxId id() {
        return id;
    }

    @Override
    public String launchId() {
        return "launch";
    }

    @Override
    public BridgeClient bridge() {
        return client;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public String exitReason() {
        return "";
    }

    @Override
    public Optional<String> pressure() {
        return Optional.ofNullable(pressure);
    }

    @Override
    public void close() {
        client.close();
        try {
            peer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
