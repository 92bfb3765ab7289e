package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.Instructions;
import dev.ash.bridge.engine.McpServer;
import dev.ash.bridge.engine.UnansweredQuestions;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.engine.EngineProfile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of an agent's process.
 *
 * @param model the model that the process is started with; null for the default
 */
record AcpContext(
        EngineProfile profile,
        EngineSetup setup,
        AcpRules rules,
        UnansweredQuestions unanswered,
        List<McpServer> servers,
        Instructions instructions,
        @Nullable String model) {

    /** Rejects a configuration that the protocol cannot express. */
    static AcpContext of(
            EngineProfile profile,
            EngineSetup setup,
            AcpRules rules,
            UnansweredQuestions unanswered,
            @Nullable String model)
            throws EngineException {
        var name = profile.name().value();
        var config = setup.config();
        reject("subagents", config.subagents() != null, name);
        reject("initialAgent", config.initialAgent() != null, name);
        reject("betas", !config.betas().isEmpty(), name);
        return new AcpContext(
                profile,
                setup,
                rules,
                unanswered,
                McpServer.of(setup),
                Instructions.of(setup, name),
                model);
    }

    private static void reject(String option, boolean given, String engine) throws EngineException {
        if (given) {
            throw new EngineException(
                    option + " is only supported by the engine claude; omit it for " + engine);
        }
    }

    String engine() {
        return profile.name().value();
    }

    boolean asks() {
        return rules.permissions() == PermissionMode.ASK;
    }

    ToolNames toolNames() {
        return new ToolNames(servers.stream().map(McpServer::name).toList());
    }

    /** Returns whether the process must be started again for another model. */
    boolean isModelFixed() {
        var launch = profile.launch();
        return launch.arguments().stream().anyMatch(AcpContext::usesModel)
                || launch.environment().values().stream().anyMatch(AcpContext::usesModel);
    }

    private static boolean usesModel(String template) {
        return template.contains("{model}");
    }
}
