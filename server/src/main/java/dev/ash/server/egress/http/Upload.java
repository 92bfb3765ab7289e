package dev.ash.server.egress.http;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sends the body of a request, while the response may already arrive. */
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

    /** Reads the body to its end even if the host no longer accepts it: its response follows. */
    private void run(Framing framing, InputStream body, TimedConnection upstream) {
        var out = framing.open(upstream.output());
        var piece = new byte[BodyOutput.PIECE];
        boolean wanted = true;
        long dropped = 0;
        try {
            for (int count = next(body, piece, upstream);
                    count >= 0 && dropped <= EgressLimits.MAX_DRAINED_BYTES;
                    count = next(body, piece, upstream)) {
                wanted = wanted && taken(out, piece, count);
                dropped += wanted ? 0 : count;
            }
            if (wanted) {
                out.finish();
            }
            incomplete = !wanted;
            done = dropped <= EgressLimits.MAX_DRAINED_BYTES;
        } catch (IOException e) {
            incomplete = true; // clientFailure has the reason
        }
    }

    private static boolean taken(BodyOutput out, byte[] piece, int count) {
        try {
            out.write(piece, count);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Closes the upstream connection if the body breaks off: it must not look complete. */
    private int next(InputStream body, byte[] piece, TimedConnection upstream) throws IOException {
        try {
            return body.read(piece);
        } catch (IOException e) {
            clientFailure = e;
            upstream.close();
            throw e;
        }
    }

    /** The failure of the client, if that is why there is no response. */
    @Nullable IOException clientFailure() {
        return clientFailure;
    }

    /** Whether the host has certainly not received the whole body. */
    boolean incompleteWithin(Duration time) {
        finishedWithin(time);
        return incomplete;
    }

    /** Whether the client's next request begins where this one's body ended. */
    boolean finishedWithin(Duration time) {
        try {
            return (done || thread.join(time)) && done;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
