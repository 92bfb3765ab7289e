package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends the body of a request on its own thread, while the response may already arrive. */
final class Upload {
    private final Thread thread;
    private volatile boolean done;
    private volatile boolean incomplete;
    private volatile @Nullable IOException clientFailure;

    private Upload(Framing framing, InputStream body, TimedConnection upstream) {
        thread =
                Thread.ofVirtual()
                        .name("egress-upload")
                        .unstarted(() -> run(framing, body, upstream));
    }

    static Upload start(Framing framing, InputStream body, TimedConnection upstream) {
        var upload = new Upload(framing, body, upstream);
        if (framing instanceof Framing.None) {
            upload.done = true;
        } else {
            upload.thread.start();
        }
        return upload;
    }

    /** Reads the body to its end even if the host stops accepting it: its response may follow. */
    private void run(Framing framing, InputStream body, TimedConnection upstream) {
        var out = framing.open(upstream.output());
        var piece = new byte[BodyOutput.PIECE];
        boolean accepted = true;
        long discarded = 0;
        try {
            for (int count = readNext(body, piece, upstream);
                    count >= 0 && discarded <= EgressLimits.MAX_DRAINED_BYTES;
                    count = readNext(body, piece, upstream)) {
                accepted = accepted && tryWrite(out, piece, count);
                discarded += accepted ? 0 : count;
            }
            if (accepted) {
                out.finish();
            }
            incomplete = !accepted;
            done = discarded <= EgressLimits.MAX_DRAINED_BYTES;
        } catch (IOException e) {
            incomplete = true; // clientFailure has the reason
        }
    }

    private static boolean tryWrite(BodyOutput out, byte[] piece, int count) {
        try {
            out.write(piece, count);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Closes the upstream connection if the client fails: the body must not look complete. */
    private int readNext(InputStream body, byte[] piece, TimedConnection upstream)
            throws IOException {
        try {
            return body.read(piece);
        } catch (IOException e) {
            clientFailure = e;
            upstream.close();
            throw e;
        }
    }

    /** Returns whether the host has accepted the whole body. */
    boolean isCompleteWithin(Duration time) {
        return isFinishedWithin(time) && !incomplete;
    }

    /** Returns the read failure of the client, if there was one. */
    @Nullable IOException clientFailure() {
        return clientFailure;
    }

    /** Returns whether the host has certainly not received the whole body. */
    boolean isIncompleteWithin(Duration time) {
        isFinishedWithin(time);
        return incomplete;
    }

    /**
     * Returns whether the body was read to its end, so that the client's next request can follow.
     */
    boolean isFinishedWithin(Duration time) {
        try {
            return (done || thread.join(time)) && done;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
