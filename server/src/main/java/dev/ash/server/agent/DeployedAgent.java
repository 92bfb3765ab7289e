package dev.ash.server.agent;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Agent;
import dev.ash.server.store.Timestamps;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An agent with its secrets; what clients see of it is {@link #shown}.
 *
 * @param folder where the server keeps the files of this version
 * @param source the folder of the host that they were copied from, as the client named it
 */
public record DeployedAgent(
        String id,
        TenantId tenant,
        AgentName name,
        int version,
        Path folder,
        Map<String, String> env,
        RawJson config,
        long createdAt,
        long updatedAt,
        @Nullable String source) {

    public DeployedAgent {
        env = Map.copyOf(env);
    }

    Agent shown() {
        return shown(List.of());
    }

    /** In the answer to a change of its files, which did not take all that was sent. */
    Agent shown(List<String> leftOut) {
        var hidden = new TreeMap<String, String>();
        env.keySet().forEach(name -> hidden.put(name, "***"));
        return new Agent(
                id,
                name.value(),
                tenant.value(),
                version,
                source == null ? folder.toString() : source,
                hidden.isEmpty() ? null : hidden,
                config,
                Timestamps.iso(createdAt),
                Timestamps.iso(updatedAt),
                leftOut.isEmpty() ? null : leftOut);
    }
}
