package dev.ash.server.egress;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;

/** The proxy of one sandbox; shares nothing with that of another. */
final class SandboxProxy implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(SandboxProxy.class.getName());

    /** Connections above the limit that are told so at the same time; more are just closed. */
    private static final int REFUSED_AT_ONCE = 16;

    private static final long PAUSE_MILLIS = 100;

    private final ProxySocket socket;
    private final Wires wires;
    private final Gate gate;
    private final ModelCalls model;
    private final ToolCalls tools;
    private final EgressLimits limits;
    private final Deadlines deadlines;
    private final AtomicInteger open = new AtomicInteger();

    SandboxProxy(
            ProxySocket socket,
            Wires wires,
            Gate gate,
            ModelCalls model,
            ToolCalls tools,
            EgressLimits limits,
            Deadlines deadlines) {
        this.socket = socket;
        this.wires = wires;
        this.gate = gate;
        this.model = model;
        this.tools = tools;
        this.limits = limits;
        this.deadlines = deadlines;
        Thread.ofVirtual().name("egress-accept").start(this::accept);
    }

    private void accept() {
        while (!wires.closed()) {
            try {
                admit(socket.channel().accept());
            } catch (ClosedChannelException e) {
                return;
            } catch (IOException e) {
                LOG.log(System.Logger.Level.WARNING, "a sandbox cannot reach its proxy: " + e);
                pause(); // such as no file descriptor left: others may end soon
            }
        }
    }

    private void admit(SocketChannel channel) throws IOException {
        int number = open.incrementAndGet();
        if (number > limits.connections() + REFUSED_AT_ONCE) {
            open.decrementAndGet();
            channel.close();
            return;
        }
        boolean tooMany = number > limits.connections();
        var client = Wire.of(channel, deadlines);
        Thread.ofVirtual().name("egress").start(() -> serve(client, tooMany));
    }

    private void serve(Wire client, boolean tooMany) {
        try {
            wires.add(client);
            if (tooMany) {
                ClientConnection.refuse(
                        client,
                        new Refusal(
                                503,
                                "Ash: a sandbox may have "
                                        + limits.connections()
                                        + " connections at once; close some"));
            } else {
                new ClientConnection(client, gate, wires, model, tools, limits).serve();
            }
        } catch (IOException e) {
            // The sandbox has ended.
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a request of a sandbox failed", e);
        } finally {
            wires.end(client);
            open.decrementAndGet();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Cuts every connection at once. */
    @Override
    public void close() {
        wires.close();
        try {
            socket.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "a socket could not be removed: " + e);
        }
    }
}
