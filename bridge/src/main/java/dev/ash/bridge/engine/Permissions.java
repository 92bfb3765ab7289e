package dev.ash.bridge.engine;

import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Decides who permits a session's tools, and words the refusal. */
public final class Permissions {
    /** The agent's rules. */
    public static final String SETTINGS = ".claude/settings.json";

    public static PermissionMode of(EngineSetup setup) throws EngineException {
        var wanted = setup.config().permissionMode();
        if (wanted == null) {
            return hasRules(setup.folders())
                    ? PermissionMode.PERMISSIONS_BY_AGENT
                    : PermissionMode.BYPASS_PERMISSIONS;
        }
        return PermissionMode.find(wanted)
                .orElseThrow(
                        () ->
                                new EngineException(
                                        "permissionMode '"
                                                + wanted
                                                + "' is not known; expected bypassPermissions,"
                                                + " permissionsByAgent or ask"));
    }

    /** What the model is told about a tool that the agent's rules neither allow nor deny. */
    public static String refusal(String tool) {
        return tool
                + " was refused: no rule of permissions.allow in "
                + SETTINGS
                + " covers this call. Work without it, or tell the user that a rule for it has to"
                + " be added there.";
    }

    /** The agent's folder counts too: what an agent edits in its workspace must not free it. */
    private static boolean hasRules(SandboxFolders folders) {
        return hasRules(folders.workspace().resolve(SETTINGS))
                || hasRules(folders.agent().resolve(SETTINGS));
    }

    private static boolean hasRules(Path settings) {
        try {
            return Files.exists(settings)
                    && JsonObject.parse(new RawJson(Files.readAllBytes(settings)))
                            .raw("permissions")
                            .isPresent();
        } catch (IOException e) {
            return true; // rules that cannot be read are no leave to run everything
        }
    }

    private Permissions() {}
}
