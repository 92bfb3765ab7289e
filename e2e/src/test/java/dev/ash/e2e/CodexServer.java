package dev.ash.e2e;

import dev.ash.e2e.model.ScriptedModelApi;
import java.util.HashMap;
import java.util.Map;

/** How to start a server whose sessions run the real Codex CLI against the scripted API. */
public final class CodexServer {
    /** The key of the server, which no sandbox may ever see. */
    static final String KEY = "sk-codex-e2e-key-of-nobody";

    public static AshServer start(ScriptedModelApi api) {
        return start(api, Map.of());
    }

    public static AshServer start(ScriptedModelApi api, Map<String, String> more) {
        var environment = new HashMap<String, String>();
        environment.put("ASH_ENGINE", "codex");
        environment.put("CODEX_EXECUTABLE", NeedsCodex.Condition.program().toString());
        environment.put("OPENAI_API_KEY", KEY);
        environment.put("OPENAI_BASE_URL", api.url() + "/v1");
        environment.putAll(more);
        return AshServer.start(environment);
    }

    private CodexServer() {}
}
