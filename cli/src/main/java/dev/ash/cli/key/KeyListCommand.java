package dev.ash.cli.key;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.ApiKeyApi;
import picocli.CommandLine.Command;

/** Implements {@code ash keys list}. */
@Command(
        name = "list",
        description = "List API keys by id and label; the keys themselves are not shown.")
final class KeyListCommand extends AshCommand {
    KeyListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var keys = client().apiKeys().list();
        var table = new Table().row("ID", "LABEL", "KEY", "SCOPES", "EXPIRES", "LAST USED");
        for (var key : keys) {
            table.row(
                    key.id(),
                    Printable.abbreviate(key.label(), 40),
                    Printable.line(key.keyPrefix()) + "…",
                    String.join(",", key.scopes()),
                    key.expiresAt() == null ? "never" : key.expiresAt(),
                    key.lastUsedAt() == null ? "never" : key.lastUsedAt());
        }
        return print(new ApiKeyApi.Keys(keys), table.toString());
    }
}
