package dev.ash.cli.credential;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.StandardInput;
import dev.ash.protocol.rest.CredentialApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "add",
        description = "Store a key of a model provider, read from standard input.",
        footer = {
            "The key is never shown again, and no sandbox ever holds it.",
            "  ash credentials add --label work < key.txt"
        })
final class CredentialAddCommand extends AshCommand {
    @Option(names = "--type", paramLabel = "TYPE", description = "anthropic (default) or openai.")
    String type = "anthropic";

    @Option(names = "--label", paramLabel = "TEXT", description = "To tell it from others.")
    @Nullable String label;

    CredentialAddCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var key = StandardInput.read(host).strip();
        if (key.isEmpty()) {
            throw new Failure(
                    ExitCode.USAGE,
                    "There is no key on standard input. Pipe it in: ash credentials add < key.txt");
        }
        var made = client().credentials().create(type, key, label);
        print(new CredentialApi.CredentialResponse(made), made.id());
        note("Use it: ash session create AGENT --credential " + made.id());
        return ExitCode.OK;
    }
}
