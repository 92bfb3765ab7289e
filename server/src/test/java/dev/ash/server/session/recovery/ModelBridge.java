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
 * A bridge as the protocol describes it, in this JVM, on a real socket: it numbers its events,
 * keeps them until they are acknowledged, sends them again to whoever attaches, and lives on when
 * its server is killed. Its engine plays the script that a prompt names.
 */
final class ModelBridge {
    private final ModelHome home;
    private final String sandbox;
    private final String nonce;
    private final Path socket;
    private final ServerSocketChannel door;
    private final ModelEffects effects;
    private final List<EventFrame> said = new ArrayList<>();
    private final ArrayDeque<EventFrame> kept = new ArrayDeque<>();
    private final Set<String> known = new HashSet<>();
    private long acked;
    private @Nullable Connection server;
    private @Nullable ModelTurn running;
    private @Nullable ModelTurn next;
    private boolean asks;
    private int diesAfter = Integer.MAX_VALUE;
    private volatile boolean alive = true;
    private volatile @Nullable End end;
    private volatile Runnable onEnd = () -> {};

    /** Told to, killed by its server, or by what no server foresees. */
    enum End {
        IN_ORDER,
        BY_SERVER,
        BY_FATE
    }

    private record Connection(SocketChannel channel, JsonLinesWriter out) {
        static Connection on(SocketChannel channel) {
            return new Connection(channel, new JsonLinesWriter(ModelSocket.out(channel)));
        }
    }

    ModelBridge(ModelHome home, String sandbox, String nonce, Path socket, ModelEffects effects) {
        this.home = home;
        this.sandbox = sandbox;
        this.nonce = nonce;
        this.socket = socket;
        this.effects = effects;
        try {
            this.door = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            door.bind(UnixDomainSocketAddress.of(socket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        CrashLife.asNobody(() -> Thread.ofVirtual().start(this::listen));
    }

    private void listen() {
        try {
            while (alive) {
                var channel = door.accept();
                Thread.ofVirtual().start(() -> serve(channel));
            }
        } catch (IOException e) {
            // It ended.
        }
    }

    private void serve(SocketChannel channel) {
        try (channel) {
            var connection = Connection.on(channel);
            write(connection, EventFrame.of(new BridgeEvent.Ready(sandbox, nonce, "model")));
            var lines = new JsonLinesReader(ModelSocket.in(channel), Limits.MAX_LINE_BYTES);
            for (var line = lines.next(); line != null; line = lines.next()) {
                handle(connection, BridgeProtocol.decodeCommand(line));
            }
        } catch (IOException e) {
            // The server left.
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
                while (!kept.isEmpty() && kept.getFirst().n() <= n) {
                    kept.removeFirst();
                }
            }
            case BridgeCommand.Configure(_, var config) ->
                    asks = "ask".equals(config.permissionMode());
            case BridgeCommand.Resume _ -> say(null, new BridgeEvent.Done(""));
            case BridgeCommand.Query query -> query(query);
            case BridgeCommand.Continue go -> goOn(go.turnId());
            case BridgeCommand.Approve approve -> {
                if (running != null) {
                    running.answered(approve);
                }
            }
            case BridgeCommand.Interrupt(var turn) -> interrupt(turn);
            case BridgeCommand.Rest() -> rest();
            case BridgeCommand.Shutdown() -> end(End.IN_ORDER);
            case BridgeCommand.Exec(var id, _, _) ->
                    say(null, new BridgeEvent.ExecResult(id, 0, "", ""));
            case BridgeCommand.Unknown(var kind) -> effects.wrong("unknown command " + kind);
        }
    }

    private void attach(Connection connection, long after) {
        var former = server;
        server = connection;
        if (former != null) {
            close(former.channel());
        }
        var turn = running == null ? null : running.id();
        write(connection, EventFrame.of(new BridgeEvent.Attached(turn, turn != null, said.size())));
        for (var frame : List.copyOf(kept)) {
            if (frame.n() > after) {
                write(connection, frame);
            }
        }
    }

    private void query(BridgeCommand.Query query) {
        var turn = query.turnId();
        if (turn == null) {
            effects.wrong("query without a turn");
        } else if (known.add(turn)) {
            home.layAside(null); // an engine that is asked something new drops it
            var asked = new ModelTurn(this, turn, ModelScript.of(query.prompt().toString()), asks);
            if (running == null) {
                begin(asked);
            } else if (running.isEngines() && next == null) {
                next = asked; // neither could know of the other
            } else {
                effects.wrong("query " + turn + " while " + running.id() + " runs");
            }
        }
    }

    private void goOn(String turn) {
        var aside = home.aside();
        if (running != null && running.id().equals(turn)) {
            return;
        }
        if (aside == null || !aside.id().equals(turn)) {
            if (known.add(turn)) {
                effects.wrong("continue " + turn + ", which is not laid aside");
            }
            return;
        }
        known.add(turn);
        home.layAside(null);
        begin(new ModelTurn(this, aside, asks));
    }

    private void begin(ModelTurn turn) {
        running = turn;
        CrashLife.asNobody(() -> Thread.ofVirtual().start(turn));
    }

    private void interrupt(@Nullable String turn) {
        var open = running;
        if (open != null && open.id().equals(turn)) {
            var question = open.interrupt();
            if (question != null) {
                say(open.id(), new BridgeEvent.ApprovalGone(question));
            }
        }
    }

    private void rest() {
        var open = running;
        var question = open == null ? null : open.letGo();
        if (open != null && question == null) {
            say(null, new BridgeEvent.Resting(false, "a turn is running", null));
            return;
        }
        if (open != null) {
            home.layAside(open.asideAt());
            running = null;
        }
        say(null, new BridgeEvent.Resting(true, null, question));
    }

    /** Numbers it, keeps it, and sends it to whoever is attached. False once it is dead. */
    synchronized boolean say(@Nullable String turn, BridgeEvent event) {
        if (!alive) {
            return false;
        }
        var frame = new EventFrame(said.size() + 1, turn, event);
        said.add(frame);
        kept.add(frame);
        if (server != null && --diesAfter != 0) {
            write(server, frame);
        }
        if (diesAfter <= 0) {
            end(End.BY_FATE);
        }
        return alive;
    }

    /** The turn is over; nothing of it is said after this. */
    synchronized boolean done(ModelTurn turn) {
        if (running != turn) {
            return false;
        }
        running = null;
        say(turn.id(), new BridgeEvent.Done(""));
        var waiting = next;
        next = null;
        if (alive && waiting != null) {
            begin(waiting);
        }
        return alive;
    }

    /** Begins a turn of the engine's own, if nothing runs. */
    synchronized void engineTurn(String id) {
        if (alive && running == null && known.add(id)) {
            say(id, new BridgeEvent.TurnStarted("engine"));
            begin(new ModelTurn(this, id, ModelScript.ENGINES, asks));
        }
    }

    private void write(Connection to, EventFrame frame) {
        try {
            to.out().write(BridgeProtocol.encode(frame));
        } catch (IOException e) {
            // Kept for the next server.
        }
    }

    /** Does something that the world notices, unless it is dead. */
    synchronized boolean effect(Runnable action) {
        if (alive) {
            action.run();
        }
        return alive;
    }

    /** After so many more events it is killed, before the last of them is sent. */
    synchronized void doom(int events) {
        diesAfter = events;
    }

    void end(End how) {
        Runnable told;
        synchronized (this) {
            if (!alive) {
                return;
            }
            alive = false;
            end = how;
            told = onEnd;
            close(door);
            if (server != null) {
                close(server.channel());
            }
            if (running != null) {
                running.abandon();
            }
            try {
                Files.deleteIfExists(socket);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        CrashLife.asNobody(() -> Thread.ofVirtual().start(told));
    }

    private static void close(AutoCloseable channel) {
        try {
            channel.close();
        } catch (Exception e) {
            // Closed is what we wanted.
        }
    }

    /** Cuts the connection to a server that was killed. */
    synchronized void hangUp() {
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

    /** How it ended, if it did. */
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

    ModelEffects effects() {
        return effects;
    }

    synchronized List<EventFrame> said() {
        return List.copyOf(said);
    }

    /** Whether no turn runs in it. */
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
                .formatted(nonce, end, acked, server != null, open, said);
    }
}
