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
 * The server's end of the socket to a bridge. One thread reads; any thread may send. Nothing is
 * sent before the bridge has said {@code ready}, because whoever listens there might be another.
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

    /** Waits until the bridge listens and has said {@code ready}. */
    public static BridgeClient connect(Path socket, Duration timeout) throws IOException {
        return connect(socket, timeout, () -> true);
    }

    /** The same, but gives up at once when the bridge is known to be dead. */
    static BridgeClient connect(Path socket, Duration timeout, BooleanSupplier alive)
            throws IOException {
        long deadline = System.nanoTime() + timeout.toNanos();
        var channel = open(socket, deadline, alive);
        var answered = new CountDownLatch(1);
        var watch = Thread.ofVirtual().unstarted(() -> closeUnless(answered, channel, deadline));
        try {
            watch.start();
            var lines = new JsonLinesReader(new ChannelInput(channel), Limits.MAX_LINE_BYTES);
            var client = new BridgeClient(channel, lines, readReady(lines));
            answered.countDown();
            return client;
        } catch (ClosedChannelException e) {
            throw new IOException("it listens on its socket but never said ready", e);
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

    /** Whether the bridge speaks only the plain protocol, without numbers and nonces. */
    public boolean isPlain() {
        return ready.nonce() == null;
    }

    /** Asks there for the memory of large lines; said before the first event is read. */
    public void room(JsonLinesReader.GrowthGuard room) {
        lines.guardGrowth(room);
    }

    public void send(BridgeCommand command) throws IOException {
        out.write(BridgeProtocol.encode(command));
    }

    /**
     * The next event, waiting for it; null once the bridge, or {@link #close}, has hung up. Throws
     * if the bridge said what no bridge says: nothing that follows can be trusted then.
     */
    public @Nullable EventFrame next() throws IOException {
        try {
            var line = lines.next();
            return line == null ? null : BridgeProtocol.decodeEvent(line);
        } catch (MalformedJsonException e) {
            throw e;
        } catch (IOException e) {
            return null; // whatever ends a local connection, the bridge or we have left it
        }
    }

    /** The user of the host at the other end. */
    UserPrincipal peer() throws IOException {
        return channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
    }

    /** The process that listens at the other end, as this host counts it. */
    OptionalLong process() throws IOException {
        return PeerProcess.of(channel);
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // Closed is what we wanted; there is nobody to tell.
        }
    }

    /**
     * Looks for the socket often and briefly: starting a bridge takes some tens of milliseconds.
     */
    private static SocketChannel open(Path socket, long deadline, BooleanSupplier alive)
            throws IOException {
        var address = UnixDomainSocketAddress.of(socket);
        while (true) {
            boolean lastTry = !alive.getAsBoolean() || System.nanoTime() > deadline;
            if (isSocket(socket)) {
                var channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                try {
                    // Blocking, it would wait without limit for one that never accepts.
                    channel.configureBlocking(false);
                    if (channel.connect(address)) {
                        channel.configureBlocking(true);
                        return channel;
                    }
                    channel.close();
                } catch (SocketException e) {
                    channel.close(); // gone again, not listening yet, or too busy to accept
                }
            }
            if (lastTry) {
                throw new ConnectException("it does not listen on " + socket);
            }
            pause();
        }
    }

    /** A link in its place could lead to any socket of the host. */
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
            throw new IOException("it hung up before it said ready");
        }
        if (BridgeProtocol.decodeEvent(line).event() instanceof BridgeEvent.Ready ready) {
            return ready;
        }
        throw new MalformedJsonException("its first line must be ready");
    }

    private static void closeUnless(CountDownLatch answered, SocketChannel channel, long deadline) {
        try {
            if (!answered.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
                channel.close();
            }
        } catch (IOException e) {
            // The reader notices either way.
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
