package dev.ash.cli.session;

import dev.ash.cli.approval.Questions;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.EventSink;
import dev.ash.cli.stream.Interrupts;
import dev.ash.cli.stream.Reconnection;
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

/** One prompt and its answer. The first Ctrl-C breaks off the turn, a second one the command. */
final class Turn {
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
        var sessions = client.with(Reconnection.patience(host, sink)).sessions();
        try (var _ = Interrupts.handledBy(this::interrupt);
                var questions = new Questions(host, client, json);
                var events = sessions.send(session, message)) {
            return read(events, sink, questions);
        }
    }

    /** Takes part in a turn that was begun elsewhere, from the event after this one on. */
    Outcome join(long after) {
        var sink = TurnPrinter.sink(host, json);
        var sessions = client.with(Reconnection.patience(host, sink)).sessions();
        try (var _ = Interrupts.handledBy(this::interrupt);
                var questions = new Questions(host, client, json);
                var events = sessions.follow(session, after)) {
            return read(events, sink, questions);
        }
    }

    private Outcome read(EventStream events, EventSink sink, Questions questions) {
        try {
            var failed = false;
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                sink.show(frame);
                questions.see(frame);
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
            throw lost();
        }
        throw lost();
    }

    private Failure lost() {
        return new Failure(
                ExitCode.UNREACHABLE,
                "The connection was lost before the turn was done, and the server has not come back. See how it went on: ash session messages "
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
            host.err().println("ash: " + e.message());
            host.err().flush();
        }
    }

    /** The engine's own last word on the turn. */
    private static boolean isFailedResult(RawJson message) {
        try {
            var object = JsonObject.parse(message);
            return object.string("type").orElse("").equals("result") && object.isTrue("is_error");
        } catch (MalformedJsonException e) {
            return false;
        }
    }
}
