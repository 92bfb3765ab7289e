package dev.ash.cli.session;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much a new session may do without asking. */
public final class PermissionModeOption {
    @Option(
            names = {"--permission-mode", "--mode"},
            paramLabel = "MODE",
            description =
                    "bypassPermissions, permissionsByAgent, or ask (a person, before tools run).")
    @Nullable String mode;

    /** Null where nobody said anything. */
    public @Nullable String mode() {
        return mode;
    }
}
