package dev.ash.server.egress.http;

import dev.ash.protocol.socket.ChannelInput;
import dev.ash.protocol.socket.ChannelOutput;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A connection to a sandbox or to an upstream host that closes after a deadline or when idle. */
public final class TimedConnection implements Closeable {
    /**
     * Closes connections after their deadline. Blocking reads on channels have no timeout, and
     * closing wakes them; one thread checks all deadlines.
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

    /** Closes the underlying socket or channel. */
    private interface Ends {
        void shutdownOutput() throws IOException;

        void close() throws IOException;
    }

    private final HttpInput input;
    private final OutputStream output;
    private final Ends ends;
    private final Deadlines deadlines;
    private volatile long maxIdleNanos = Long.MAX_VALUE / 2;
    private volatile long deadlineNanos = System.nanoTime() + maxIdleNanos;
    private volatile boolean extendsWhenUsed;
    private volatile boolean timedOut;

    private TimedConnection(InputStream in, OutputStream out, Ends ends, Deadlines deadlines) {
        this.ends = ends;
        this.deadlines = deadlines;
        this.input = new HttpInput(new TouchingInput(in));
        this.output = new TouchingOutput(out);
        deadlines.open.add(this);
    }

    public static TimedConnection of(SocketChannel channel, Deadlines deadlines) {
        return new TimedConnection(
                new ChannelInput(channel),
                new ChannelOutput(channel),
                new Ends() {
                    @Override
                    public void shutdownOutput() throws IOException {
                        channel.shutdownOutput();
                    }

                    @Override
                    public void close() throws IOException {
                        channel.close();
                    }
                },
                deadlines);
    }

    /**
     * The streams may belong to a TLS socket around {@code socket}. Closes {@code socket} itself:
     * the TLS socket would first send a message to a peer that may no longer read.
     */
    public static TimedConnection of(
            Socket socket, InputStream in, OutputStream out, Deadlines deadlines) {
        return new TimedConnection(
                in,
                out,
                new Ends() {
                    @Override
                    public void shutdownOutput() throws IOException {
                        socket.shutdownOutput();
                    }

                    @Override
                    public void close() throws IOException {
                        socket.close();
                    }
                },
                deadlines);
    }

    HttpInput input() {
        return input;
    }

    OutputStream output() {
        return output;
    }

    /** Limits the total time from now on, regardless of activity. */
    public void closeWithin(Duration total) {
        extendsWhenUsed = false;
        deadlineNanos = System.nanoTime() + total.toNanos();
    }

    /** Limits the idle time from now on. */
    public void closeWhenIdle(Duration longest) {
        maxIdleNanos = longest.toNanos();
        extendsWhenUsed = true;
        touch();
    }

    private void touch() {
        if (extendsWhenUsed) {
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
            ends.shutdownOutput();
        } catch (IOException e) {
            // The peer is gone; the next read fails.
        }
    }

    @Override
    public void close() {
        deadlines.open.remove(this);
        try {
            ends.close();
        } catch (IOException e) {
            // The connection is given up.
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
