package dev.ash.server.gateway;

import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.server.http.Socket;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Sends frames over a WebSocket, and disconnects a device that does not read them: the number of
 * pending characters is limited.
 */
final class SocketLink implements DeviceLink {
    private static final long MAX_PENDING_CHARS = 8L * 1024 * 1024;
    private static final long MAX_PENDING_BEFORE_AUTH = 64 * 1024;

    /** Memory of a pending frame besides its text. */
    private static final int FRAME_OVERHEAD = 256;

    /** A device that ignores a close frame is disconnected after this. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** Replays pause while more than this is pending. */
    private static final long REPLAY_THRESHOLD_CHARS = 512 * 1024;

    private static final int POLICY_VIOLATION = 1008;

    private final Socket socket;
    private final Clock clock;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private long pending; // guarded by the lock
    private volatile long maxPending = MAX_PENDING_BEFORE_AUTH;

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
        if (addPending(size) > Math.max(maxPending, size)) {
            disconnect();
            return;
        }
        socket.send(text, () -> addPending(-size));
    }

    /** Raises the limits for messages in both directions, after authentication. */
    void raiseLimits() {
        maxPending = MAX_PENDING_CHARS;
        socket.acceptLargeMessages();
    }

    private long addPending(int difference) {
        lock.lock();
        try {
            pending += difference;
            if (pending <= REPLAY_THRESHOLD_CHARS) {
                changed.signalAll();
            }
            return pending;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitCapacity() throws InterruptedException {
        lock.lock();
        try {
            while (pending > REPLAY_THRESHOLD_CHARS && closed.getCount() > 0) {
                changed.await();
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
        close(POLICY_VIOLATION, reason);
    }

    void close(int status, String reason) {
        socket.close(status, reason);
        Thread.ofVirtual().name("gateway-closing").start(this::disconnectUnlessClosed);
    }

    private void disconnectUnlessClosed() {
        try {
            if (!awaitClose(CLOSE_TIMEOUT)) {
                disconnect();
            }
        } catch (InterruptedException e) {
            disconnect(); // this thread is never interrupted
        }
    }

    /** Closes the connection without a close frame, because the device does not respond. */
    void disconnect() {
        socket.disconnect();
    }

    /** Called when the WebSocket is closed. */
    void closed() {
        closed.countDown();
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the WebSocket was closed within this time. */
    boolean awaitClose(Duration timeout) throws InterruptedException {
        return closed.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
}
