package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.StandardInput;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.SessionApi;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash session send}. */
@Command(
        name = "send",
        description = "Send a prompt and stream the answer.",
        footer = "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}.")
final class SessionSendCommand extends SessionCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "PROMPT",
            description = "The prompt; - reads it from standard input.")
    List<String> prompt = new ArrayList<>();

    @Option(names = "--queue", description = "Wait for a running turn instead of failing.")
    boolean queue;

    @Mixin PartialOption partial = new PartialOption();

    SessionSendCommand(Host host) {
        super(host);
    }

    @Override
    Integer run() {
        var text = String.join(" ", prompt);
        var content = RawJson.string(text.equals("-") ? StandardInput.read(host) : text);
        var message =
                new SessionApi.SendMessage(
                        content,
                        partial.isPartial(),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        queue ? "queue" : null);
        return new Turn(host, client(), id, json).run(message).exitCode();
    }
}
