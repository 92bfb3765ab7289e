package dev.ash.cli.session;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option for the permission mode of a new session. */
public final class PermissionModeOption {
    @Option(
            names = {"--permission-mode", "--mode"},
            paramLabel = "MODE",
            description =
                    "Permission mode: bypassPermissions, permissionsByAgent, or ask (for approval of tools).")
    @Nullable String mode;

    /** Returns null if no mode was specified. */
    public @Nullable String mode() {
        return mode;
    }
}
