package dev.ash.server.session;

import dev.ash.protocol.Limits;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.sandbox.BridgeClient;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The beginning of a talk with a bridge that numbers its events. */
final class Attachment {
    /**
     * Tells the bridge from where on to send, and returns once it has heard it. What it says before
     * was meant for an earlier server.
     */
    static void make(BridgeClient bridge, long after) throws IOException {
        bridge.send(new BridgeCommand.Attach(after));
        var answered = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> hangUpUnless(answered, bridge));
        try {
            for (var frame = bridge.next(); frame != null; frame = bridge.next()) {
                if (frame.event() instanceof BridgeEvent.Attached) {
                    return;
                }
            }
        } finally {
            answered.countDown();
        }
        throw new IOException("the bridge did not answer attach");
    }

    private static void hangUpUnless(CountDownLatch answered, BridgeClient bridge) {
        try {
            if (!answered.await(Limits.READY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                bridge.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Attachment() {}
}
