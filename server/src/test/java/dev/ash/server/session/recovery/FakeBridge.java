package dev.ash.server.session.recovery;

import dev.ash.protocol.Limits;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.JsonLinesWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A bridge in this JVM that implements the protocol on a real socket: it numbers its events,
 * retains them until they are acknowledged, resends them on attach, and survives its server. Its
 * engine performs the script in each prompt.
 */
final class FakeBridge {
    private final FakeHome home;
    private final String sandbox;
    private final String nonce;
    private final Path socket;
    private final ServerSocketChannel listener;
    private final SideEffects effects;
    private final List<EventFrame> sent = new ArrayList<>();
    private final ArrayDeque<EventFrame> unacknowledged = new ArrayDeque<>();
    private final Set<String> seenTurns = new HashSet<>();
    private long acked;
    private @Nullable Connection server;
    private @Nullable FakeTurn running;
    private @Nullable FakeTurn next;
    private boolean asks;
    private int eventsUntilCrash = Integer.MAX_VALUE;
    private volatile boolean alive = true;
    private volatile @Nullable End end;
    private volatile Runnable onEnd = () -> {};

    /** How a bridge ended: shut down by command, killed by its server, or crashed. */
    enum End {
        SHUT_DOWN,
        KILLED_BY_SERVER,
        CRASHED
    }

    private record Connection(SocketChannel channel, JsonLinesWriter out) {
        static Connection on(SocketChannel channel) {
            return new Connection(channel, new JsonLinesWriter(SocketStreams.out(channel)));
        }
    }

    FakeBridge(FakeHome home, String sandbox, String nonce, Path socket, SideEffects effects) {
        this.home = home;
        this.sandbox = sandbox;
        this.nonce = nonce;
        this.socket = socket;
        this.effects = effects;
        try {
            this.listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            listener.bind(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ServerLifetime.callDetached(() -> Thread.ofVirtual().start(this::listen));
    }

    private void listen() {
        try {
            while (alive) {
                var channel = listener.accept();
                Thread.ofVirtual().start(() -> serve(channel));
            }
        } catch (IOException e) {
            // The bridge has ended.
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            var connection = Connection.on(channel);
            write(connection, EventFrame.of(new BridgeEvent.Ready(sandbox, nonce, "model")));
            var lines = new JsonLinesReader(SocketStreams.in(channel), Limits.MAX_LINE_BYTES);
            for (var line = lines.next(); line != null; line = lines.next()) {
                handle(connection, BridgeProtocol.decodeCommand(line));
            }
        } catch (IOException e) {
            // The server disconnected.
        }
    }

    private synchronized void handle(Connection from, BridgeCommand command) {
        if (!alive || (from != server && !(command instanceof BridgeCommand.Attach))) {
            return;
        }
        switch (command) {
            case BridgeCommand.Attach(long after) -> attach(from, after);
            case BridgeCommand.Ack(long n) -> {
                acked = Math.max(acked, n);
                while (!unacknowledged.isEmpty() && unacknowledged.getFirst().n() <= n) {
                    unacknowledged.removeFirst();
                }
            }
            case BridgeCommand.Configure(_, var config) ->
                    asks = "ask".equals(config.permissionMode());
            case BridgeCommand.Start() -> {}
            case BridgeCommand.Resume _ -> emit(null, new BridgeEvent.Done(""));
            case BridgeCommand.Query query -> query(query);
            case BridgeCommand.Continue go -> continueTurn(go.turnId());
            case BridgeCommand.Approve approve -> {
                if (running != null) {
                    running.onAnswer(approve);
                }
            }
            case BridgeCommand.Interrupt(var turn) -> interrupt(turn);
            case BridgeCommand.Rest() -> rest();
            case BridgeCommand.Shutdown() -> end(End.SHUT_DOWN);
            case BridgeCommand.Exec(var id, _, _) ->
                    emit(null, new BridgeEvent.ExecResult(id, 0, "", ""));
            case BridgeCommand.Steer(var id, _, _) ->
                    emit(null, new BridgeEvent.Steered(id, "this bridge accepts no messages"));
            case BridgeCommand.Unknown(var kind) -> effects.addViolation("unknown command " + kind);
        }
    }

    private void attach(Connection connection, long after) {
        var former = server;
        server = connection;
        if (former != null) {
            close(former.channel());
        }
        var turn = running == null ? null : running.id();
        write(connection, EventFrame.of(new BridgeEvent.Attached(turn, turn != null, sent.size())));
        for (var frame : List.copyOf(unacknowledged)) {
            if (frame.n() > after) {
                write(connection, frame);
            }
        }
    }

    private void query(BridgeCommand.Query query) {
        var turn = query.turnId();
        if (turn == null) {
            effects.addViolation("query without a turn");
        } else if (seenTurns.add(turn)) {
            home.setDeferredTurn(null); // a new prompt discards the deferred turn
            var asked = new FakeTurn(this, turn, TurnScript.of(query.prompt().toString()), asks);
            if (running == null) {
                startTurn(asked);
            } else if (running.isEngineTurn() && next == null) {
                next = asked; // both started concurrently
            } else {
                effects.addViolation("query " + turn + " while " + running.id() + " is running");
            }
        }
    }

    private void continueTurn(String turn) {
        var deferred = home.deferredTurn();
        if (running != null && running.id().equals(turn)) {
            return;
        }
        if (deferred == null || !deferred.id().equals(turn)) {
            if (seenTurns.add(turn)) {
                effects.addViolation("continue " + turn + ", which is not deferred");
            }
            return;
        }
        seenTurns.add(turn);
        home.setDeferredTurn(null);
        startTurn(new FakeTurn(this, deferred, asks));
    }

    private void startTurn(FakeTurn turn) {
        running = turn;
        ServerLifetime.callDetached(() -> Thread.ofVirtual().start(turn));
    }

    private void interrupt(@Nullable String turn) {
        var open = running;
        if (open != null && open.id().equals(turn)) {
            var question = open.interrupt();
            if (question != null) {
                emit(open.id(), new BridgeEvent.ApprovalGone(question));
            }
        }
    }

    private void rest() {
        var open = running;
        var question = open == null ? null : open.withdrawQuestion();
        if (open != null && question == null) {
            emit(null, new BridgeEvent.Resting(false, "a turn is running", null));
            return;
        }
        if (open != null) {
            home.setDeferredTurn(open.toDeferred());
            running = null;
        }
        emit(null, new BridgeEvent.Resting(true, null, question));
    }

    /** Numbers, retains and sends an event. Returns false if the bridge has ended. */
    synchronized boolean emit(@Nullable String turn, BridgeEvent event) {
        if (!alive) {
            return false;
        }
        var frame = new EventFrame(sent.size() + 1, turn, event);
        sent.add(frame);
        unacknowledged.add(frame);
        if (server != null && --eventsUntilCrash != 0) {
            write(server, frame);
        }
        if (eventsUntilCrash <= 0) {
            end(End.CRASHED);
        }
        return alive;
    }

    /** Ends the turn with its last event. */
    synchronized boolean endTurn(FakeTurn turn) {
        if (running != turn) {
            return false;
        }
        running = null;
        emit(turn.id(), new BridgeEvent.Done(""));
        var waiting = next;
        next = null;
        if (alive && waiting != null) {
            startTurn(waiting);
        }
        return alive;
    }

    /** Starts a turn of the engine, if no turn is running. */
    synchronized void startEngineTurn(String id) {
        if (alive && running == null && seenTurns.add(id)) {
            emit(id, new BridgeEvent.TurnStarted("engine"));
            startTurn(new FakeTurn(this, id, TurnScript.ENGINE_TURN, asks));
        }
    }

    private void write(Connection to, EventFrame frame) {
        try {
            to.out().write(BridgeProtocol.encode(frame));
        } catch (IOException e) {
            // Retained for the next server.
        }
    }

    /** Performs a side effect, unless the bridge has ended. */
    synchronized boolean tryEffect(Runnable action) {
        if (alive) {
            action.run();
        }
        return alive;
    }

    /** Crashes the bridge after this many events, before the last of them is sent. */
    synchronized void crashAfter(int events) {
        eventsUntilCrash = events;
    }

    void end(End how) {
        Runnable onEndListener;
        synchronized (this) {
            if (!alive) {
                return;
            }
            alive = false;
            end = how;
            onEndListener = onEnd;
            close(listener);
            if (server != null) {
                close(server.channel());
            }
            if (running != null) {
                running.stopWaiting();
            }
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        ServerLifetime.callDetached(() -> Thread.ofVirtual().start(onEndListener));
    }

    private static void close(AutoCloseable channel) {
        try {
            channel.close();
        } catch (Exception e) {
            // Nothing to do.
        }
    }

    /** Closes the connection to a killed server. */
    synchronized void disconnectServer() {
        if (server != null) {
            close(server.channel());
            server = null;
        }
    }

    void onEnd(Runnable listener) {
        onEnd = listener;
    }

    boolean alive() {
        return alive;
    }

    /** Returns how it ended; null while it is alive. */
    @Nullable End end() {
        return end;
    }

    String nonce() {
        return nonce;
    }

    String sandbox() {
        return sandbox;
    }

    Path socket() {
        return socket;
    }

    SideEffects effects() {
        return effects;
    }

    synchronized List<EventFrame> sent() {
        return List.copyOf(sent);
    }

    /** Whether no turn is running. */
    synchronized boolean isIdle() {
        return running == null;
    }

    synchronized long acked() {
        return acked;
    }

    @Override
    public synchronized String toString() {
        var open = running == null ? "" : " runs " + running;
        return "\nbridge %s end=%s acked=%d attached=%s%s%n  %s"
                .formatted(nonce, end, acked, server != null, open, sent);
    }
}
