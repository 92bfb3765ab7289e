package dev.ash.cli.secret;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.hooks.InstalledHook;
import dev.ash.protocol.rest.SecretApi;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Implements {@code ash secrets rotate}: replaces the server's sealing key, hook token and
 * certificates, and waits until the server has finished.
 */
@Command(
        name = "rotate",
        description = "Replace secrets of the running server; sessions continue.",
        footer = {
            "  sealing-key    encrypts stored credentials, environments and settings; also",
            "                 replaces the tokens of mailboxes",
            "  hook-token     sent by hooks of Claude Code; updates the hooks of this user",
            "  certificates   self-signed TLS certificates; reloads certificate files",
            "An interrupted rotation continues automatically, also after a restart of the server.",
            "Exits with 1 if the rotation has not finished."
        })
final class SecretRotateCommand extends AshCommand {
    private static final Set<String> NAMES =
            Set.of("sealing-key", "hook-token", "certificates", "all");
    private static final int POLL_MILLIS = 500;
    private static final int MAX_POLLS = 1200;

    @Parameters(
            paramLabel = "SECRET",
            arity = "0..*",
            description = "sealing-key, hook-token, certificates or all. Default: all.")
    List<String> names = new ArrayList<>();

    @Option(
            names = "--overlap",
            paramLabel = "MINUTES",
            description = "Minutes for which replaced tokens are still accepted. Default: 60.")
    @Nullable Integer overlap;

    @Option(
            names = "--revoke-previous",
            description = "Reject replaced tokens immediately; use this after a leak.")
    boolean revoke;

    SecretRotateCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        for (var name : names) {
            if (!NAMES.contains(name)) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "\"%s\" is not a secret of the server. Choose sealing-key, hook-token, certificates or all."
                                .formatted(name));
            }
        }
        if (revoke && overlap != null) {
            throw new CommandException(
                    ExitCode.USAGE, "Use either --overlap or --revoke-previous, not both.");
        }
        var chosen = names.isEmpty() ? List.of("all") : names;
        var rotated = client().secrets().rotate(chosen, revoke ? Integer.valueOf(0) : overlap);
        rotated = awaitFinished(rotated);
        rotated.stream()
                .filter(secret -> secret.name().equals("hook-token"))
                .findFirst()
                .ifPresent(
                        token -> note(InstalledHook.update(host, connection().url(), token.id())));
        print(new SecretApi.Secrets(rotated), SecretText.of(rotated));
        return isUnfinished(rotated) ? ExitCode.FAILED : ExitCode.OK;
    }

    private static boolean isUnfinished(List<SecretApi.Secret> secrets) {
        return secrets.stream().anyMatch(secret -> secret.state().equals(SecretApi.ROTATING));
    }

    /** Polls until the rotation ends: for a large database, the server responds before that. */
    private List<SecretApi.Secret> awaitFinished(List<SecretApi.Secret> first) {
        var rotated = first;
        var selected = first.stream().map(SecretApi.Secret::name).toList();
        for (int i = 0; i < MAX_POLLS && isUnfinished(rotated); i++) {
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return rotated;
            }
            rotated =
                    client().secrets().list().stream()
                            .filter(secret -> selected.contains(secret.name()))
                            .toList();
        }
        return rotated;
    }
}
