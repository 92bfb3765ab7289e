package dev.ash.server.session.engine;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.server.agent.AgentSettings;
import dev.ash.server.agent.Agents;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Lists the agents and engines that devices can start sessions with, and rejects others. */
public final class AgentAvailability {
    /** Engines of the published protocol that Ash does not have. */
    private static final Set<String> UNSUPPORTED = Set.of("opencode", "aider", "goose");

    private final Agents agents;
    private final Engines engines;

    public AgentAvailability(Agents agents, Engines engines) {
        this.agents = agents;
        this.engines = engines;
    }

    /** Returns the names of engines and of the tenant's agents. */
    public List<String> names(TenantId tenant) {
        return Stream.concat(
                        engines.available().stream(),
                        agents.names(tenant).stream().map(AgentName::value))
                .distinct()
                .toList();
    }

    /** Rejects a name that is neither an engine nor an agent, before an agent is created for it. */
    public void requireKnown(TenantId tenant, String name) {
        if (names(tenant).contains(name)) {
            return;
        }
        var missing = engines.missingRequirement(name, false);
        if (missing.isPresent()) {
            throw notAvailable(tenant, name, missing.get());
        }
        throw notAvailable(
                tenant,
                name,
                UNSUPPORTED.contains(name)
                        ? "\"%s\" is not supported by this server".formatted(name)
                        : "There is no agent \"%s\" on this server".formatted(name));
    }

    /** Rejects an agent whose engine lacks its program or its key. */
    public void requireRunnable(TenantId tenant, String name, String engine) {
        var settings = AgentSettings.of(agents.find(tenant, new AgentName(name)));
        var missing =
                engines.missingRequirement(engine, settings.isolation().credentialId() != null);
        if (missing.isPresent()) {
            throw notAvailable(tenant, name, missing.get());
        }
    }

    private ApiException notAvailable(TenantId tenant, String name, String why) {
        var others =
                names(tenant).stream()
                        .filter(other -> !other.equals(name))
                        .filter(other -> engines.missingRequirement(other, false).isEmpty())
                        .toList();
        return new ApiException(
                ErrorCode.AGENT_NOT_FOUND,
                "%s. Available: %s".formatted(why, String.join(", ", others)));
    }
}
