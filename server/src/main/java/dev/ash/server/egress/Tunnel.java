package dev.ash.server.egress;

import java.io.IOException;

/** Bytes both ways until both sides have ended, or one broke off, or both were silent. */
final class Tunnel {
    private static final int PIECE = 16 * 1024;

    private final Wire client;
    private final Wire upstream;
    private final HostAndPort host;
    private final Gate gate;

    Tunnel(Wire client, Wire upstream, HostAndPort host, Gate gate) {
        this.client = client;
        this.upstream = upstream;
        this.host = host;
        this.gate = gate;
    }

    void run() {
        var out = Thread.ofVirtual().name("egress-tunnel").start(this::out);
        pump(upstream, client);
        try {
            out.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void out() {
        try {
            var first = ClientHello.readFirst(client.input());
            gate.checkServerName(host, first);
            upstream.output().write(first);
            pump(client, upstream);
        } catch (IOException e) {
            client.close();
            upstream.close();
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
