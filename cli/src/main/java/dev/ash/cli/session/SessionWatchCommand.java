package dev.ash.cli.session;

import dev.ash.cli.approval.Questions;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.Reconnection;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "watch",
        description = "Show a session's prompts and events as they come, until Ctrl-C.",
        footer = "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}.")
final class SessionWatchCommand extends SessionCommand {
    @Option(names = "--after", paramLabel = "N", description = "Begin after this event.")
    long after;

    SessionWatchCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var sink = TurnPrinter.sink(host, json);
        var client = client().with(Reconnection.patience(host, sink));
        try (var questions = new Questions(host, client, json);
                var events = client.sessions().followWithPrompts(id, after)) {
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                sink.show(frame);
                questions.see(frame);
            }
            return ExitCode.OK;
        }
    }
}
