package dev.ash.bridge.engine;

import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Determines the permission mode of a session, and the message for denied tool calls. */
public final class Permissions {
    /** The file with the agent's rules. */
    public static final String SETTINGS = ".claude/settings.json";

    public static PermissionMode mode(EngineSetup setup) throws EngineException {
        var configured = setup.config().permissionMode();
        if (configured == null) {
            return hasRules(setup.directories())
                    ? PermissionMode.PERMISSIONS_BY_AGENT
                    : PermissionMode.BYPASS_PERMISSIONS;
        }
        return PermissionMode.find(configured)
                .orElseThrow(
                        () ->
                                new EngineException(
                                        "unknown permissionMode '"
                                                + configured
                                                + "'; expected bypassPermissions,"
                                                + " permissionsByAgent or ask"));
    }

    /** Returns the message to the model for a tool that the agent's rules do not allow. */
    public static String denialMessage(String tool) {
        return tool
                + " was denied: no rule of permissions.allow in "
                + SETTINGS
                + " matches this call. Work without it, or ask the user to add a rule there.";
    }

    /** Also checks the agent's directory: edits in the workspace must not remove the rules. */
    private static boolean hasRules(SandboxDirectories directories) {
        return hasRules(directories.workspace().resolve(SETTINGS))
                || hasRules(directories.agent().resolve(SETTINGS));
    }

    private static boolean hasRules(Path settings) {
        try {
            return Files.exists(settings)
                    && JsonObject.parse(new RawJson(Files.readAllBytes(settings)))
                            .raw("permissions")
                            .isPresent();
        } catch (IOException e) {
            return true; // unreadable rules must not allow everything
        }
    }

    private Permissions() {}
}
