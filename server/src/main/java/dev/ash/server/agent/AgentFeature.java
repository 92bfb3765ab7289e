package dev.ash.server.agent;

import dev.ash.server.http.Endpoint;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.store.Storage;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Assembles agents and their endpoints. */
public final class AgentFeature {
    private final Agents agents;

    /** {@code listener} is notified of changed and deleted agents. */
    public AgentFeature(
            Storage storage,
            QuotaStore quotas,
            AgentDirectories directories,
            AgentRoots roots,
            Agents.Listener listener) {
        var store = new AgentStore(storage.database(), storage.sealer(), quotas);
        this.agents = new Agents(store, directories, roots, listener, storage.clock());
    }

    public Agents agents() {
        return agents;
    }

    /** {@code endSessions} ends the sessions of an agent that is about to be deleted. */
    public List<Endpoint> endpoints(Consumer<DeployedAgent> endSessions) {
        return Stream.of(
                        new AgentRoutes(agents, endSessions).endpoints(),
                        new AgentFileRoutes(agents).endpoints())
                .flatMap(List::stream)
                .toList();
    }

    /** Removes files of deployments that an earlier server did not finish. */
    public void recover() {
        agents.recover();
    }
}
