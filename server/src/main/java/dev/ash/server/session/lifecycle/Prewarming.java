package dev.ash.server.session.lifecycle;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.AgentVersion;
import dev.ash.sandbox.WarmKey;
import dev.ash.server.agent.AgentSettings;
import dev.ash.server.agent.Agents;
import dev.ash.server.agent.DeployedAgent;
import dev.ash.server.isolation.IsolationRequest;
import dev.ash.server.isolation.IsolationRules;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.engine.Engines;
import java.util.Collection;
import java.util.Optional;

/** Keeps warm sandboxes of deployed agents, for new sessions to claim. */
public final class Prewarming implements Agents.Listener {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final int NO_VERSION = -1;
    private static final IsolationRequest NO_REQUEST =
            new IsolationRequest(ResourceLimits.UNSET, null, null, null, null, null);

    private final RunnerCoordinator runners;
    private final Engines engines;
    private final IsolationRules rules;
    private final int defaultCount;

    /** {@code defaultCount}: the number for agents that do not configure one. */
    public Prewarming(
            RunnerCoordinator runners, Engines engines, IsolationRules rules, int defaultCount) {
        this.rules = rules;
        this.runners = runners;
        this.engines = engines;
        this.defaultCount = defaultCount;
    }

    public void start(Collection<DeployedAgent> agents) {
        agents.forEach(this::changed);
    }

    /** Replaces the warm sandboxes of other versions or of an earlier configuration. */
    @Override
    public void changed(DeployedAgent agent) {
        runners.dropWarm(agent.tenant(), agent.name(), agent.version());
        try {
            var settings = AgentSettings.of(agent);
            var policy = rules.decide(NO_REQUEST, settings.isolation());
            var engine =
                    engines.choose(
                            Optional.empty(), settings.engine(), policy.credentialId() != null);
            runners.keepWarm(
                    new WarmKey(
                            agent.tenant(),
                            new AgentVersion(agent.id(), agent.name(), agent.version()),
                            engine,
                            policy.limits(),
                            policy.network()),
                    SessionLauncher.environment(engine.value()),
                    settings.preWarmCount().orElse(defaultCount));
        } catch (ApiException e) {
            // Creating a session fails with the same error.
            LOG.log(System.Logger.Level.DEBUG, "cannot keep sandboxes warm: " + agent.name(), e);
        }
    }

    @Override
    public void deleted(DeployedAgent agent) {
        runners.dropWarm(agent.tenant(), agent.name(), NO_VERSION);
    }
}
