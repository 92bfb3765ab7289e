package dev.ash.cli.credential;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.StandardInput;
import dev.ash.protocol.rest.CredentialApi;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash credentials add}. */
@Command(
        name = "add",
        description = "Store a key of a model provider, read from standard input.",
        footer = {
            "The key cannot be displayed later and is never passed to a sandbox.",
            "  ash credentials add --label work < key.txt"
        })
final class CredentialAddCommand extends AshCommand {
    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "Provider: anthropic, openai or google. Default: anthropic.")
    String type = "anthropic";

    @Option(names = "--label", paramLabel = "TEXT", description = "Label shown in lists.")
    @Nullable String label;

    CredentialAddCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var key = StandardInput.read(host).strip();
        if (key.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "The key on standard input is empty. Usage: ash credentials add < key.txt");
        }
        var created = client().credentials().create(type, key, label);
        print(new CredentialApi.CredentialResponse(created), created.id());
        note("Use it with: ash session create AGENT --credential " + created.id());
        return ExitCode.OK;
    }
}
