package dev.ash.bridge;

import dev.ash.bridge.exec.ExecCommands;
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
import dev.ash.protocol.bridge.BridgeCommand.Start;
import dev.ash.protocol.bridge.BridgeCommand.Steer;
import dev.ash.protocol.bridge.BridgeCommand.Unknown;
import dev.ash.protocol.bridge.BridgeEvent.Resting;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Assembles the bridge, dispatches the commands of its server, and closes all its parts. */
final class Bridge implements AutoCloseable {
    private final BridgeSettings settings;
    private final Outbox outbox;
    private final Lease lease;
    private final BridgeSession session;
    private final Turns turns;
    private final ExecCommands execs;
    private final RecentIds receivedExecs = new RecentIds();
    private final RawJson ready;
    private final Listener listener;

    private Bridge(BridgeSettings settings) throws IOException {
        this.settings = settings;
        this.outbox = new Outbox();
        this.lease = new Lease(settings.grace());
        this.session = new BridgeSession(settings);
        this.turns = new Turns(session, outbox, new Timing(settings.timing()));
        this.execs =
                new ExecCommands(
                        settings.directories().workspace(), result -> outbox.send(null, result));
        this.ready = BridgeProtocol.encode(EventFrame.of(settings.ready(session.engineName())));
        this.listener = Listener.open(settings.socket()); // last: see Listener.preload
    }

    static Bridge open(BridgeSettings settings) throws IOException {
        var bridge = new Bridge(settings);
        start(
                "accept",
                () -> bridge.listener.accept(settings.rejectsSandboxPeers(), bridge::onConnection));
        return bridge;
    }

    /**
     * Starts a platform thread, because these threads run as long as the bridge: the scheduler and
     * the pollers of virtual threads take 10 ms of processor time to start.
     */
    private static void start(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    /** Blocks until a server sends {@code shutdown}, or none is connected for the grace period. */
    void await() throws InterruptedException {
        if (lease.awaitEnd()) {
            System.err.println(
                    "bridge: no server for " + settings.grace().toMillis() + " ms; exiting");
        }
    }

    Path socket() {
        return settings.socket();
    }

    Path workspace() {
        return settings.directories().workspace();
    }

    private void onConnection(SocketChannel channel) {
        var connection = new Connection(channel);
        outbox.connect(connection);
        lease.hold();
        start("events", () -> connection.write(ready, outbox));
        start("commands", () -> serve(connection));
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

    /**
     * Must not block: acknowledgements, which unblock senders, are executed here too. Not a switch
     * over the types, because its first execution generates a class, which takes 4 ms of each
     * start.
     */
    private void execute(Connection server, BridgeCommand command) {
        if (command instanceof Attach(var after)) {
            outbox.attach(server, after, turns.state());
            return;
        }
        outbox.startWithoutAttach(server);
        if (command instanceof Ack(var n)) {
            outbox.acknowledge(n);
        } else if (command instanceof Configure(var sessionId, var config)) {
            session.configure(sessionId, config);
        } else if (command instanceof Start) {
            turns.start();
        } else if (command instanceof Query query) {
            turns.query(query);
        } else if (command instanceof Resume(var sessionId)) {
            turns.resume(sessionId);
        } else if (command instanceof Interrupt(var turnId)) {
            turns.interrupt(turnId);
        } else if (command instanceof Exec exec) {
            exec(exec);
        } else if (command instanceof Shutdown) {
            lease.end();
        } else if (command instanceof Approve approve) {
            turns.answer(approve);
        } else if (command instanceof Rest) {
            Thread.ofVirtual().name("rest").start(this::rest);
        } else if (command instanceof Continue continued) {
            turns.continueTurn(continued);
        } else if (command instanceof Steer steer) {
            Thread.ofVirtual().name("steer").start(() -> turns.steer(steer));
        } else if (command instanceof Unknown(var kind)) {
            System.err.println("bridge: ignored unknown command " + kind);
        } else {
            throw new IllegalStateException("command without an implementation: " + command);
        }
    }

    private void rest() {
        if (execs.isBusy()) {
            outbox.send(null, new Resting(false, "A command is running in the sandbox", null));
        } else {
            turns.rest();
        }
    }

    private void exec(Exec exec) {
        synchronized (receivedExecs) {
            if (!exec.id().isEmpty() && !receivedExecs.add(exec.id())) {
                return; // a retransmission: the command runs only once
            }
        }
        execs.run(exec, session.environment());
    }

    /**
     * Closes everything that this class started. Idempotent. The end of the connection tells the
     * server that nothing is left to do: it can kill the sandbox instead of waiting for the exit of
     * the JVM, which takes 300 ms.
     */
    @Override
    public void close() {
        listener.close();
        lease.end();
        outbox.close();
        execs.close();
        turns.close();
        outbox.closeConnection();
    }
}
