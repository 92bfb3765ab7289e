package dev.ash.cli.secret;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SecretApi;
import picocli.CommandLine.Command;

/** Implements {@code ash secrets revoke-previous}. */
@Command(
        name = "revoke-previous",
        description = "End the overlap: replaced hook and mailbox tokens stop working immediately.",
        footer = "Running sandboxes are not affected.")
final class SecretRevokeCommand extends AshCommand {
    SecretRevokeCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var secrets = client().secrets().revokePrevious();
        return print(new SecretApi.Secrets(secrets), SecretText.of(secrets));
    }
}
