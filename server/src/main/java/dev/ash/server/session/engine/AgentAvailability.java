package dev.ash.server.session.engine;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.EngineCapability;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.server.agent.AgentSettings;
import dev.ash.server.agent.Agents;
import dev.ash.server.agent.DeployedAgent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Lists the agents and engines that devices can start sessions with, and rejects others. */
public final class AgentAvailability {
    /** An agent or an engine, and what sessions with it can do. */
    public record AvailableAgent(
            String name, String engine, String version, List<String> capabilities) {}

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

    /** Returns the entries of {@link #names} with their engines; omits agents without one. */
    public List<AvailableAgent> describe(TenantId tenant) {
        var described = new ArrayList<AvailableAgent>();
        for (var engine : engines.installed()) {
            described.add(describe(engine.publicName(), engine));
        }
        for (var name : agents.names(tenant)) {
            if (described.stream().noneMatch(other -> other.name().equals(name.value()))) {
                engine(agents.find(tenant, name))
                        .ifPresent(engine -> described.add(describe(name.value(), engine)));
            }
        }
        return described;
    }

    private AvailableAgent describe(String name, EngineProfile engine) {
        return new AvailableAgent(
                name,
                engine.name().value(),
                engines.program(engine).map(InstalledProgram::version).orElse(""),
                engine.capabilities().stream().sorted().map(EngineCapability::wire).toList());
    }

    /** Returns the engine of sessions with this name; empty if there is no such agent. */
    public Optional<EngineProfile> engine(TenantId tenant, String name) {
        for (var engine : engines.installed()) {
            if (engine.publicName().equals(name)) {
                return Optional.of(engine);
            }
        }
        return agents.names(tenant).stream()
                .filter(agent -> agent.value().equals(name))
                .findFirst()
                .flatMap(agent -> engine(agents.find(tenant, agent)));
    }

    private Optional<EngineProfile> engine(DeployedAgent agent) {
        try {
            var settings = AgentSettings.of(agent);
            var name =
                    engines.choose(
                            Optional.empty(),
                            settings.engine(),
                            settings.isolation().credentialId() != null);
            return engines.table().find(name.value());
        } catch (ApiException e) {
            return Optional.empty(); // starting a session fails with the same error
        }
    }

    /** Rejects a name that is neither an engine nor an agent, before an agent is created for it. */
    public void requireKnown(TenantId tenant, String name) {
        if (names(tenant).contains(name)) {
            return;
        }
        var missing = engines.missingRequirement(name, false);
        throw notAvailable(
                tenant,
                name,
                missing.orElse("There is no agent \"%s\" on this server".formatted(name)));
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
