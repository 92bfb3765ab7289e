package dev.ash.cli.credential;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.CredentialApi;
import picocli.CommandLine.Command;

/** Implements {@code ash credentials list}. */
@Command(name = "list", description = "List credentials; keys are not shown.")
final class CredentialListCommand extends AshCommand {
    CredentialListCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var credentials = client().credentials().list();
        var result = new CredentialApi.Credentials(credentials);
        if (credentials.isEmpty()) {
            return printList(
                    result, "", "No credentials. Store one: ash credentials add < key.txt");
        }
        var table = new Table().row("ID", "TYPE", "LABEL", "CREATED");
        for (var credential : credentials) {
            table.row(
                    credential.id(),
                    credential.type(),
                    Printable.line(credential.label()),
                    credential.createdAt());
        }
        return print(result, table.toString());
    }
}
