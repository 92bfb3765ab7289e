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

    /** Must not block: acknowledgements, which unblock senders, are executed here too. */
    private void execute(Connection server, BridgeCommand command) {
        if (!(command instanceof Attach)) {
            outbox.startWithoutAttach(server);
        }
        switch (command) {
            case Attach(var after) -> outbox.attach(server, after, turns.state());
            case Ack(var n) -> outbox.acknowledge(n);
            case Configure(var sessionId, var config) -> session.configure(sessionId, config);
            case Start() -> turns.start();
            case Query query -> turns.query(query);
            case Resume(var sessionId) -> turns.resume(sessionId);
            case Interrupt(var turnId) -> turns.interrupt(turnId);
            case Exec exec -> exec(exec);
            case Shutdown() -> lease.end();
            case Approve approve -> turns.answer(approve);
            case Rest() -> Thread.ofVirtual().name("rest").start(this::rest);
            case Continue continued -> turns.continueTurn(continued);
            case Unknown(var kind) -> System.err.println("bridge: ignored unknown command " + kind);
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
