package dev.ash.server.egress.http;

import java.io.IOException;

/** Copies bytes in both directions until both sides end, one fails, or both are idle. */
final class Tunnel {
    private static final int PIECE = 16 * 1024;

    private final TimedConnection client;
    private final TimedConnection upstream;
    private final ProxyExchange.TunnelCheck check;

    Tunnel(TimedConnection client, TimedConnection upstream, ProxyExchange.TunnelCheck check) {
        this.client = client;
        this.upstream = upstream;
        this.check = check;
    }

    void run() {
        var upload = Thread.ofVirtual().name("egress-tunnel").start(this::copyToUpstream);
        copy(upstream, client);
        try {
            upload.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void copyToUpstream() {
        try {
            var firstBytes = ClientHello.readFirst(client.input());
            check.check(firstBytes);
            upstream.output().write(firstBytes);
            copy(client, upstream);
        } catch (IOException e) {
            client.close();
            upstream.close();
        }
    }

    /** Copies until {@code from} ends; a side that has ended its output may still read. */
    private void copy(TimedConnection from, TimedConnection to) {
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
