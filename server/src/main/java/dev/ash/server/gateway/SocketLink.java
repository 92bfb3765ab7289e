package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.server.http.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Sends frames over a WebSocket, and gives up on a device that lets too much pile up. */
final class SocketLink implements DeviceLink {
    private static final long MAX_WAITING_CHARS = 8L * 1024 * 1024;
    private static final long MAX_WAITING_BEFORE_AUTH = 64 * 1024;

    /** What a frame that waits costs besides its text. */
    private static final int FRAME_OVERHEAD = 256;

    /** A device that ignores the end of its connection does not keep it. */
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private static final long ENOUGH_CHARS = 512 * 1024;
    private static final int POLICY = 1008; // closed for a reason that the device was told

    private final Socket socket;
    private final Clock clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition sent = lock.newCondition();
    private long waiting; // guarded by the lock
    private volatile long maxWaiting = MAX_WAITING_BEFORE_AUTH;

    SocketLink(Socket socket, Clock clock) {
        this.socket = socket;
        this.clock = clock;
    }

    @Override
    public void send(GatewayFrame frame) {
        send(frame.toJson(clock.instant().toString()));
    }

    @Override
    public void send(String text) {
        int size = text.length() + FRAME_OVERHEAD;
        if (waits(size) > Math.max(maxWaiting, size)) {
            cut();
            return;
        }
        socket.send(text, () -> waits(-size));
    }

    /** It is known who is there: messages in both directions may be large. */
    void authenticated() {
        maxWaiting = MAX_WAITING_CHARS;
        socket.acceptLargeMessages();
    }

    private long waits(int more) {
        lock.lock();
        try {
            waiting += more;
            if (waiting <= ENOUGH_CHARS) {
                sent.signalAll();
            }
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitRoom() throws InterruptedException {
        lock.lock();
        try {
            while (waiting > ENOUGH_CHARS && closed.getCount() > 0) {
                sent.await();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ping(long number) {
        socket.ping(number);
    }

    @Override
    public void close(String reason) {
        close(POLICY, reason);
    }

    void close(int status, String reason) {
        socket.close(status, reason);
        Thread.ofVirtual().name("gateway-closing").start(this::cutUnlessClosed);
    }

    private void cutUnlessClosed() {
        try {
            if (!awaitClose(CLOSING)) {
                cut();
            }
        } catch (InterruptedException e) {
            cut(); // nobody interrupts it
        }
    }

    /** Without a word: nobody listens. */
    void cut() {
        socket.cut();
    }

    /** The WebSocket is over. */
    void closed() {
        closed.countDown();
        lock.lock();
        try {
            sent.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether it closed in this time. */
    boolean awaitClose(Duration time) throws InterruptedException {
        return closed.await(time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
