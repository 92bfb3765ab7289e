package dev.ash.server.session.egress;

import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.server.agent.AgentSettings;
import dev.ash.server.agent.Agents;
import dev.ash.server.egress.model.request.ProviderTools;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.session.store.SessionRow;
import java.util.List;
import java.util.Objects;

/** Determines which tools the model provider may run for a session. */
public final class SessionProviderTools {
    /** The tool of the engines that uses {@link ProviderTools#WEB_SEARCH}. */
    private static final String WEB_SEARCH = "WebSearch";

    private final Agents agents;
    private final IsolationRules rules;

    public SessionProviderTools(Agents agents, IsolationRules rules) {
        this.agents = agents;
        this.rules = rules;
    }

    List<String> permittedTools(SessionRow session) {
        return rules.permitted(
                Objects.requireNonNullElseGet(
                        session.policy().providerTools(), () -> requestedByAgent(session)));
    }

    /** For sessions of earlier versions, which did not store the decision. */
    private List<String> requestedByAgent(SessionRow session) {
        return agents.directory(session.agent().agentId(), session.agent().version())
                .map(AgentSettings::providerTools)
                .orElse(List.of());
    }

    /** Engines must not offer the model a tool that the proxy rejects. */
    EngineConfig restrictTools(SessionRow session, EngineConfig config) {
        return permittedTools(session).contains(ProviderTools.WEB_SEARCH)
                ? config
                : config.withDisallowedTool(WEB_SEARCH);
    }
}
