package dev.ash.server.egress;

import java.io.IOException;

/** Bytes both ways until both sides have ended, or one broke off, or both were silent. */
final class Tunnel {
    private static final int PIECE = 16 * 1024;

    private final Wire client;
    private final Wire upstream;

    Tunnel(Wire client, Wire upstream) {
        this.client = client;
        this.upstream = upstream;
    }

    void run() {
        var out = Thread.ofVirtual().name("egress-tunnel").start(() -> pump(client, upstream));
        pump(upstream, client);
        try {
            out.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** One side that has said all it has to say may still listen. */
    private void pump(Wire from, Wire to) {
        var piece = new byte[PIECE];
        try {
            var in = from.input();
            for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
                to.output().write(piece, 0, count);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            client.close();
            upstream.close();
        }
    }
}
