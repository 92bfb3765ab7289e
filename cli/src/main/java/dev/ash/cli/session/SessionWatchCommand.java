package dev.ash.cli.session;

import dev.ash.cli.approval.ApprovalPrompts;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.ReconnectNotices;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash session watch}. */
@Command(
        name = "watch",
        description = "Stream a session's prompts and events until Ctrl-C.",
        footer = "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}.")
final class SessionWatchCommand extends SessionCommand {
    @Option(names = "--after", paramLabel = "N", description = "Start after this event number.")
    long after;

    SessionWatchCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var sink = TurnPrinter.sink(host, json);
        var client = client().with(ReconnectNotices.policy(host, sink));
        try (var questions = new ApprovalPrompts(host, client, json);
                var events = client.sessions().followWithPrompts(id, after)) {
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                sink.show(frame);
                questions.handle(frame);
            }
            return ExitCode.OK;
        }
    }
}
