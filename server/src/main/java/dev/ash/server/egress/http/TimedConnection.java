package dev.ash.server.egress.http;

import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A connection to a sandbox or to an upstream host that closes after a deadline or when idle. */
public final class TimedConnection implements Closeable {
    /**
     * Closes connections after their deadlines, which one thread checks. Blocking reads of channels
     * have no timeout; closing the channel ends them.
     */
    public static final class Deadlines implements AutoCloseable {
        private final Set<TimedConnection> open = ConcurrentHashMap.newKeySet();
        private final Thread sweeper;

        public Deadlines(Duration interval) {
            sweeper = Thread.ofVirtual().name("egress-deadlines").start(() -> sweep(interval));
        }

        private void sweep(Duration interval) {
            try {
                while (true) {
                    Thread.sleep(interval);
                    open.forEach(TimedConnection::checkDeadline);
                }
            } catch (InterruptedException e) {
                // Closed.
            }
        }

        @Override
        public void close() {
            sweeper.interrupt();
        }
    }

    /** The underlying socket or channel. */
    private interface Transport {
        void shutdownOutput() throws IOException;

        void close() throws IOException;

        /** Returns whether the peer has neither sent data that was not read nor closed it. */
        boolean isQuiet() throws IOException;
    }

    private final HttpInput input;
    private final OutputStream output;
    private final Transport transport;
    private final Deadlines deadlines;
    private volatile long maxIdleNanos = Long.MAX_VALUE / 2;
    private volatile long deadlineNanos = System.nanoTime() + maxIdleNanos;
    private volatile boolean extendsOnActivity;
    private volatile boolean timedOut;
    private volatile boolean reusable;
    private volatile boolean reused;
    private volatile boolean receivedSinceReuse;
    private volatile Duration activeIdle = Duration.ZERO; // of a kept connection

    private TimedConnection(
            InputStream in, OutputStream out, Transport transport, Deadlines deadlines) {
        this.transport = transport;
        this.deadlines = deadlines;
        this.input = new HttpInput(new TouchingInput(in));
        this.output = new TouchingOutput(out);
        deadlines.open.add(this);
    }

    public static TimedConnection of(SocketChannel channel, Deadlines deadlines) {
        return new TimedConnection(
                new ChannelInput(channel),
                new ChannelOutput(channel),
                new Transport() {
                    @Override
                    public void shutdownOutput() throws IOException {
                        channel.shutdownOutput();
                    }

                    @Override
                    public void close() throws IOException {
                        channel.close();
                    }

                    @Override
                    public boolean isQuiet() throws IOException {
                        return hasNothingToRead(channel);
                    }
                },
                deadlines);
    }

    /**
     * Creates a connection whose streams may belong to a TLS socket around {@code socket}. Closes
     * {@code socket} itself: a TLS socket would first send a message, which can block.
     */
    public static TimedConnection of(
            Socket socket, InputStream in, OutputStream out, Deadlines deadlines) {
        return new TimedConnection(
                in,
                out,
                new Transport() {
                    @Override
                    public void shutdownOutput() throws IOException {
                        socket.shutdownOutput();
                    }

                    @Override
                    public void close() throws IOException {
                        socket.close();
                    }

                    @Override
                    public boolean isQuiet() throws IOException {
                        var channel = socket.getChannel();
                        return channel != null && in.available() == 0 && hasNothingToRead(channel);
                    }
                },
                deadlines);
    }

    /** Does not read: in a TLS connection, the bytes belong to its record layer. */
    private static boolean hasNothingToRead(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        try (var selector = Selector.open()) {
            channel.register(selector, SelectionKey.OP_READ);
            return selector.selectNow() == 0;
        } finally {
            channel.configureBlocking(true);
        }
    }

    HttpInput input() {
        return input;
    }

    OutputStream output() {
        return output;
    }

    /** Closes the connection after this time, regardless of activity. */
    public void closeWithin(Duration time) {
        extendsOnActivity = false;
        deadlineNanos = System.nanoTime() + time.toNanos();
    }

    /** Closes the connection after this time without activity. */
    public void closeWhenIdle(Duration maxIdle) {
        maxIdleNanos = maxIdle.toNanos();
        extendsOnActivity = true;
        touch();
    }

    /** Records that a response was read to its end, so that another request can follow. */
    void markReusable() {
        reusable = true;
    }

    /** Returns whether another request can follow now, as far as this side can tell. */
    public boolean isReusable() {
        return reusable;
    }

    /** Keeps the connection between two requests, at most for this time. */
    public void keep(Duration maxIdle) {
        activeIdle = Duration.ofNanos(maxIdleNanos);
        closeWhenIdle(maxIdle);
    }

    /**
     * Prepares a kept connection for the next request. Returns false if the host has closed it
     * meanwhile, or has sent data that no request asked for.
     */
    public boolean tryReuse() {
        reused = true;
        reusable = false;
        receivedSinceReuse = false;
        closeWhenIdle(activeIdle);
        return isQuiet();
    }

    /** Returns whether the peer is connected and has sent nothing that was not read. */
    boolean isQuiet() {
        try {
            return input.isEmpty() && transport.isQuiet();
        } catch (IOException e) {
            return false;
        }
    }

    boolean isReused() {
        return reused;
    }

    boolean hasReceivedSinceReuse() {
        return receivedSinceReuse;
    }

    private void touch() {
        if (extendsOnActivity) {
            deadlineNanos = System.nanoTime() + maxIdleNanos;
        }
    }

    boolean isTimedOut() {
        return timedOut;
    }

    private void checkDeadline() {
        if (System.nanoTime() - deadlineNanos > 0) {
            timedOut = true;
            close();
        }
    }

    /** Ends the output; the peer may continue to send. */
    void shutdownOutput() {
        try {
            transport.shutdownOutput();
        } catch (IOException e) {
            // The peer has disconnected; the next read fails.
        }
    }

    @Override
    public void close() {
        deadlines.open.remove(this);
        try {
            transport.close();
        } catch (IOException e) {
            // The connection is abandoned in any case.
        }
    }

    private final class TouchingInput extends InputStream {
        private final InputStream in;

        TouchingInput(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int count = in.read(bytes, offset, length);
            receivedSinceReuse |= count > 0; // one thread reads
            touch();
            return count;
        }
    }

    private final class TouchingOutput extends OutputStream {
        private final OutputStream out;

        TouchingOutput(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, length);
            out.flush();
            touch();
        }
    }
}
