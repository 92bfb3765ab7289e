package dev.ash.cli.secret;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SecretApi;
import picocli.CommandLine.Command;

/** Implements {@code ash secrets status}. */
@Command(
        name = "status",
        description = "Show ids and ages of the server's secrets, and unfinished rotations.",
        footer = {
            "States: current (only this one is used), rotating (stored values are being sealed",
            "again), overlap (the previous one is still accepted), fixed (set by the operator).",
            "Secret values are never shown."
        })
final class SecretStatusCommand extends AshCommand {
    SecretStatusCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var secrets = client().secrets().list();
        return print(new SecretApi.Secrets(secrets), SecretText.of(secrets));
    }
}
