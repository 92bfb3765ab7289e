package dev.ash.bridge.engine;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Who decides whether a tool may run. */
public enum Permissions {
    /** Nobody: the sandbox is the wall. Deny rules of the agent hold all the same. */
    BYPASS,
    /** The rules in the agent's {@code .claude/settings.json}. */
    BY_AGENT,
    /** A person, for what the agent's rules do not settle. */
    ASK;

    public static final String SETTINGS = ".claude/settings.json";

    public static Permissions of(EngineSetup setup) throws EngineException {
        var wanted = setup.config().permissionMode();
        if (wanted == null) {
            return hasRules(setup.folders()) ? BY_AGENT : BYPASS;
        }
        return switch (wanted) {
            case "bypassPermissions" -> BYPASS;
            case "permissionsByAgent" -> BY_AGENT;
            case "ask", "default" -> ASK;
            default ->
                    throw new EngineException(
                            "permissionMode '"
                                    + wanted
                                    + "' is not known; expected bypassPermissions,"
                                    + " permissionsByAgent or ask");
        };
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
}
