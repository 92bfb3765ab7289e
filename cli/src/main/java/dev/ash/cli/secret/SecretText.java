package dev.ash.cli.secret;

import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.rest.SecretApi;
import java.util.List;

/** Formats the server's secrets for the terminal. */
final class SecretText {
    static String of(List<SecretApi.Secret> secrets) {
        var table = new Table().row("SECRET", "ID", "CREATED", "STATE", "PREVIOUS UNTIL");
        var notes = new StringBuilder();
        for (var secret : secrets) {
            var created = secret.createdAt();
            var until = secret.previousUntil();
            table.row(
                    Printable.line(secret.name()),
                    Printable.line(secret.id()),
                    created == null ? "-" : created,
                    secret.state(),
                    until == null ? "-" : until);
            for (var progress : secret.progress()) {
                notes.append(
                        "\n%s: %d values of %s sealed again, %d remaining%s"
                                .formatted(
                                        secret.name(),
                                        progress.resealed(),
                                        Printable.line(progress.table()),
                                        progress.remaining(),
                                        progress.unreadable() == 0
                                                ? ""
                                                : ", %d unreadable with any key"
                                                        .formatted(progress.unreadable())));
            }
            if (secret.note() != null) {
                notes.append('\n').append(secret.name()).append(": ");
                notes.append(Printable.line(secret.note()));
            }
        }
        return table.toString().stripTrailing() + notes;
    }

    private SecretText() {}
}
