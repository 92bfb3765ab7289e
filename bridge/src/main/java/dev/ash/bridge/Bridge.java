package dev.ash.bridge;

import dev.ash.bridge.exec.Execs;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeCommand.Ack;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeCommand.Attach;
import dev.ash.protocol.bridge.BridgeCommand.Configure;
import dev.ash.protocol.bridge.BridgeCommand.Continue;
import dev.ash.protocol.bridge.BridgeCommand.Exec;
import dev.ash.protocol.bridge.BridgeCommand.Interrupt;
import dev.ash.protocol.bridge.BridgeCommand.Query;
import dev.ash.protocol.bridge.BridgeCommand.Rest;
import dev.ash.protocol.bridge.BridgeCommand.Resume;
import dev.ash.protocol.bridge.BridgeCommand.Shutdown;
import dev.ash.protocol.bridge.BridgeCommand.Unknown;
import dev.ash.protocol.bridge.BridgeEvent.Resting;
import java.io.IOException;
import java.nio.channels.SocketChannel;

/** The whole bridge, assembled by hand: who gets which command, and what ends with what. */
final class Bridge implements AutoCloseable {
    private final BridgeSettings settings;
    private final Outbox outbox;
    private final Lease lease;
    private final BridgeSession session;
    private final Turns turns;
    private final Execs execs;
    private final RecentIds knownExecs = new RecentIds();
    private final Listener listener;

    private Bridge(BridgeSettings settings, Listener listener) {
        this.settings = settings;
        this.listener = listener;
        this.outbox = new Outbox();
        this.lease = new Lease(settings.grace());
        this.session = new BridgeSession(settings);
        this.turns =
                new Turns(session, outbox, new Timing(settings.timing()), settings.engineStart());
        this.execs = new Execs(settings.folders().workspace(), result -> outbox.send(null, result));
    }

    static Bridge open(BridgeSettings settings) throws IOException {
        var bridge = new Bridge(settings, Listener.open(settings.socket()));
        Thread.ofVirtual()
                .name("accept")
                .start(() -> bridge.listener.accept(settings.outsideOnly(), bridge::connected));
        return bridge;
    }

    /** Returns when a server said {@code shutdown}, or when there was none for too long. */
    void await() throws InterruptedException {
        if (lease.awaitEnd()) {
            System.err.println(
                    "bridge: no server for " + settings.grace().toMillis() + " ms; ending");
        }
    }

    private void connected(SocketChannel channel) {
        var connection = new Connection(channel);
        outbox.connect(connection);
        lease.hold();
        Thread.ofVirtual()
                .name("events")
                .start(() -> connection.write(settings.ready(session.engineName()), outbox));
        Thread.ofVirtual().name("commands").start(() -> serve(connection));
    }

    private void serve(Connection connection) {
        try {
            connection.read(command -> execute(connection, command));
        } finally {
            connection.close();
            if (outbox.disconnect(connection)) {
                lease.release();
            }
        }
    }

    /** Must not block: the acknowledgements that let senders go on come this way too. */
    private void execute(Connection server, BridgeCommand command) {
        if (!(command instanceof Attach)) {
            outbox.unattached(server);
        }
        switch (command) {
            case Attach(var after) -> outbox.attach(server, after, turns.state());
            case Ack(var n) -> outbox.acknowledge(n);
            case Configure(var sessionId, var config) -> {
                session.configure(sessionId, config);
                turns.configured();
            }
            case Query query -> turns.query(query);
            case Resume(var sessionId) -> turns.resume(sessionId);
            case Interrupt(var turnId) -> turns.interrupt(turnId);
            case Exec exec -> exec(exec);
            case Shutdown() -> lease.end();
            case Approve approve -> turns.answer(approve);
            case Rest() -> Thread.ofVirtual().name("rest").start(this::rest);
            case Continue again -> turns.continueTurn(again);
            case Unknown(var kind) -> System.err.println("bridge: skipped command " + kind);
        }
    }

    private void rest() {
        if (execs.busy()) {
            outbox.send(null, new Resting(false, "A command runs in the sandbox", null));
        } else {
            turns.rest();
        }
    }

    private void exec(Exec exec) {
        synchronized (knownExecs) {
            if (!exec.id().isEmpty() && !knownExecs.add(exec.id())) {
                return; // sent again by a server that was not sure; it runs once
            }
        }
        execs.run(exec, session.environment());
    }

    /** Ends everything that was started here. May be called twice. */
    @Override
    public void close() {
        listener.close();
        lease.end();
        outbox.close();
        execs.close();
        turns.close();
    }
}
