package dev.ash.cli.pair;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.stream.JsonLinesSink;
import dev.ash.cli.terminal.Printable;
import dev.ash.sdk.PairEvent;
import dev.ash.sdk.SseFrame;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash pair log}. */
@Command(
        name = "log",
        description = "Print the complete events of a run so far: prompts, answers, proofs.",
        footer = "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}.")
final class PairLogCommand extends PairCommand {
    @Option(names = "--after", paramLabel = "N", description = "Only events after this number.")
    long after;

    PairLogCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var sink = new JsonLinesSink(host);
        try (var events = pairs().events(pair().id(), after)) {
            for (var frame = events.nextFrame(); frame != null; frame = events.nextFrame()) {
                if (json) {
                    sink.show(frame);
                } else {
                    show(frame);
                }
            }
        }
        return ExitCode.OK;
    }

    private void show(SseFrame frame) {
        var event = PairEvent.of(frame).orElse(null);
        if (event == null) {
            return;
        }
        host.out()
                .println(
                        Printable.line(
                                "── %d · round %d · %s%s · %s"
                                        .formatted(
                                                event.id(),
                                                event.round(),
                                                event.agent().isEmpty()
                                                        ? ""
                                                        : event.agent() + " · ",
                                                event.type(),
                                                event.timestamp())));
        host.out().println(Printable.text(event.content().strip()));
    }
}
