package dev.ash.cli.session;

import dev.ash.cli.approval.ApprovalPrompts;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.EventSink;
import dev.ash.cli.stream.InterruptHandler;
import dev.ash.cli.stream.ReconnectNotices;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AshStreamEvent;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.AshException;
import dev.ash.sdk.ConnectionLostException;
import dev.ash.sdk.EventStream;
import dev.ash.sdk.ServerUnreachableException;

/** Runs one turn and shows it. The first Ctrl-C interrupts the turn, a second one the command. */
final class Turn {
    /** Outcome of a turn with its exit code. */
    enum Outcome {
        DONE(ExitCode.OK),
        FAILED(ExitCode.TURN_FAILED),
        INTERRUPTED(ExitCode.INTERRUPTED);

        private final int exitCode;

        Outcome(int exitCode) {
            this.exitCode = exitCode;
        }

        int exitCode() {
            return exitCode;
        }
    }

    private final Host host;
    private final AshClient client;
    private final String session;
    private final boolean json;
    private volatile boolean interrupted;

    Turn(Host host, AshClient client, String session, boolean json) {
        this.host = host;
        this.client = client;
        this.session = session;
        this.json = json;
    }

    Outcome run(SessionApi.SendMessage message) {
        var sink = TurnPrinter.sink(host, json);
        var sessions = client.with(ReconnectNotices.policy(host, sink)).sessions();
        try (var _ = InterruptHandler.install(this::interrupt);
                var questions = new ApprovalPrompts(host, client, json);
                var events = sessions.send(session, message)) {
            return read(events, sink, questions);
        }
    }

    /** Joins a running turn, starting after this event. */
    Outcome join(long after) {
        var sink = TurnPrinter.sink(host, json);
        var sessions = client.with(ReconnectNotices.policy(host, sink)).sessions();
        try (var _ = InterruptHandler.install(this::interrupt);
                var questions = new ApprovalPrompts(host, client, json);
                var events = sessions.follow(session, after)) {
            return read(events, sink, questions);
        }
    }

    private Outcome read(EventStream events, EventSink sink, ApprovalPrompts questions) {
        try {
            var failed = false;
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                sink.show(frame);
                questions.handle(frame);
                switch (frame.toEvent()) {
                    case AshStreamEvent.Failed _ -> failed = true;
                    case AshStreamEvent.Message(var data, _) -> failed |= isFailedResult(data);
                    case AshStreamEvent.Done _ -> {
                        return outcome(failed);
                    }
                    default -> {}
                }
            }
        } catch (ConnectionLostException | ServerUnreachableException e) {
            throw connectionLost();
        }
        throw connectionLost();
    }

    private CommandException connectionLost() {
        return new CommandException(
                ExitCode.UNREACHABLE,
                "The connection was lost before the turn ended, and the server is still unreachable. Later, show the result with: ash session messages "
                        + session);
    }

    private Outcome outcome(boolean failed) {
        if (interrupted) {
            return Outcome.INTERRUPTED;
        }
        return failed ? Outcome.FAILED : Outcome.DONE;
    }

    private void interrupt() {
        if (interrupted) {
            host.out().flush();
            Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
        }
        interrupted = true;
        try {
            client.sessions().interrupt(session);
        } catch (AshException e) {
            host.err().println("ash: " + e.getMessage());
            host.err().flush();
        }
    }

    /** Returns whether the message is the engine's result with an error. */
    private static boolean isFailedResult(RawJson message) {
        try {
            var object = JsonObject.parse(message);
            return object.string("type").orElse("").equals("result") && object.isTrue("is_error");
        } catch (MalformedJsonException e) {
            return false;
        }
    }
}
