package dev.ash.cli.key;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.ApiKeyApi;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash keys create}. */
@Command(
        name = "create",
        description = "Create an API key and print it; it cannot be displayed later.",
        footer = {
            "Scopes: read; approve and run, which include read; admin, which includes all.",
            "  ash keys create --label ci --scope run --expires 30d"
        })
final class KeyCreateCommand extends AshCommand {
    @Option(names = "--label", paramLabel = "TEXT", description = "Label shown in lists.")
    @Nullable String label;

    @Option(
            names = "--scope",
            paramLabel = "SCOPE",
            split = ",",
            description = "read, approve, run or admin; repeatable. Default: all.")
    @Nullable List<String> scopes;

    @Option(
            names = "--expires",
            paramLabel = "TIME",
            description = "Expiry: 30m, 12h or 30d from now, or an ISO 8601 time. Default: never.")
    @Nullable String expires;

    @Option(
            names = "--tenant",
            paramLabel = "NAME",
            description =
                    "Tenant of the key; requires an admin key of the tenant default. Default: your own.")
    @Nullable String tenant;

    KeyCreateCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var until = expires == null ? null : Expiry.parse(expires, Instant.now());
        var created =
                tenant == null
                        ? client().apiKeys().create(label, scopes, until)
                        : createFor(tenant, until);
        note(
                "The key cannot be displayed later. Revoke it with: ash keys revoke %s"
                        .formatted(created.id()));
        return printWithTopLevelMembers("apiKey", created, created.key());
    }

    /** Checks the tenant first: the server would create one for a misspelled name. */
    private ApiKeyApi.CreatedKey createFor(String name, @Nullable String until) {
        var keys = client().apiKeys();
        if (keys.tenants().stream().noneMatch(each -> each.id().equals(name))) {
            throw new CommandException(
                    ExitCode.NOT_FOUND,
                    "Tenant \"%s\" does not exist. `ash tenants list` lists the tenants, `ash tenants create` creates one."
                            .formatted(name));
        }
        return keys.create(new ApiKeyApi.CreateTenantKey(name, label, scopes, until));
    }
}
