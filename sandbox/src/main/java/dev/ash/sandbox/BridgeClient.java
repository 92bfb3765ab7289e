package dev.ash.sandbox;

import dev.ash.protocol.Limits;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Client of a bridge: the server's end of its Unix socket. One thread reads events; any thread may
 * send commands. Sends nothing before the bridge has sent {@code ready}, because another process
 * might be listening on the socket.
 */
public final class BridgeClient implements AutoCloseable {
    private static final long RETRY_MS = 2;

    private final SocketChannel channel;
    private final JsonLinesReader lines;
    private final JsonLinesWriter out;
    private final BridgeEvent.Ready ready;

    private BridgeClient(SocketChannel channel, JsonLinesReader lines, BridgeEvent.Ready ready) {
        this.channel = channel;
        this.lines = lines;
        this.out = new JsonLinesWriter(new ChannelOutput(channel));
        this.ready = ready;
    }

    /** Connects, waiting until the bridge listens and has sent {@code ready}. */
    public static BridgeClient connect(Path socket, Duration timeout) throws IOException {
        return connect(socket, timeout, () -> true);
    }

    /**
     * Connects as above, but fails immediately when {@code isAlive} reports that the bridge is
     * dead.
     */
    static BridgeClient connect(Path socket, Duration timeout, BooleanSupplier isAlive)
            throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        var channel = open(socket, deadline, isAlive);
        var answered = new CountDownLatch(1);
        var timer =
                Thread.ofVirtual()
                        .unstarted(() -> closeAtDeadlineUnless(answered, channel, deadline));
        try {
            timer.start();
            var lines = new JsonLinesReader(new ChannelInput(channel), Limits.MAX_LINE_BYTES);
            var client = new BridgeClient(channel, lines, readReady(lines));
            answered.countDown();
            return client;
        } catch (ClosedChannelException e) {
            throw new IOException("the bridge listens on its socket but did not send ready", e);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        } finally {
            answered.countDown();
        }
    }

    public BridgeEvent.Ready ready() {
        return ready;
    }

    /** Whether the bridge supports only the base protocol, without event numbers and nonces. */
    public boolean isPlain() {
        return ready.nonce() == null;
    }

    /**
     * Sets the guard that reserves memory for large lines; call it before the first {@link #next}.
     */
    public void guardGrowth(JsonLinesReader.GrowthGuard guard) {
        lines.guardGrowth(guard);
    }

    public void send(BridgeCommand command) throws IOException {
        out.write(BridgeProtocol.encode(command));
    }

    /**
     * Returns the next event, blocking until it arrives, or null once the connection is closed by
     * either side. Throws if the bridge sends a malformed line: nothing that follows can be trusted
     * then.
     */
    public @Nullable EventFrame next() throws IOException {
        try {
            var line = lines.next();
            return line == null ? null : BridgeProtocol.decodeEvent(line);
        } catch (MalformedJsonException e) {
            throw e;
        } catch (IOException e) {
            return null; // any other error on a local socket means that one side closed it
        }
    }

    /** Returns the host user of the process at the other end. */
    UserPrincipal peer() throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    }

    /**
     * Returns the pid, in the host's pid namespace, of the process that listens at the other end.
     */
    OptionalLong process() throws IOException {
        return PeerProcess.of(channel);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Nothing to recover: the channel is closed either way.
        }
    }

    /** Polls for the socket at a short interval: a bridge starts in tens of milliseconds. */
    private static SocketChannel open(Path socket, long deadline, BooleanSupplier isAlive)
            throws IOException {
        var address = UnixDomainSocketAddress.of(socket);
        while (true) {
            boolean lastTry = !isAlive.getAsBoolean() || System.nanoTime() > deadline;
            if (isSocket(socket)) {
                var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                try {
                    // A blocking connect has no timeout if the listener never accepts.
                    channel.configureBlocking(false);
                    if (channel.connect(address)) {
                        channel.configureBlocking(true);
                        return channel;
                    }
                    channel.close();
                } catch (SocketException e) {
                    channel.close(); // removed, not listening yet, or its backlog is full
                }
            }
            if (lastTry) {
                throw new ConnectException("the bridge does not listen on " + socket);
            }
            pause();
        }
    }

    /** Rejects symbolic links, which could lead to any socket of the host. */
    private static boolean isSocket(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return (mode & 0170000) == 0140000;
    }

    private static BridgeEvent.Ready readReady(JsonLinesReader lines) throws IOException {
        var line = lines.next();
        if (line == null) {
            throw new IOException("the bridge closed the connection before it sent ready");
        }
        if (BridgeProtocol.decodeEvent(line).event() instanceof BridgeEvent.Ready ready) {
            return ready;
        }
        throw new MalformedJsonException("the first line of the bridge must be ready");
    }

    private static void closeAtDeadlineUnless(
            CountDownLatch answered, SocketChannel channel, long deadline) {
        try {
            if (!answered.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                channel.close();
            }
        } catch (IOException e) {
            // The reader fails either way.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a bridge", e);
        }
    }
}
