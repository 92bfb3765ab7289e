package dev.ash.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(
        name = "send",
        description = "Send a prompt and show the answer as it comes.",
        footer = "With --json, each line is one event: {\"event\":…,\"data\":…,\"id\":…}.")
final class SessionSendCommand extends SessionCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "PROMPT",
            description = "What to say; - reads it from standard input.")
    List<String> prompt = new ArrayList<>();

    SessionSendCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var text = String.join(" ", prompt);
        var turn = new Turn(host, client(), id, json);
        return turn.run(text.equals("-") ? StandardInput.read(host) : text).exitCode();
    }
}
