package dev.ash.server.agent;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Agent;
import dev.ash.server.store.Timestamps;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** An agent with its secrets; what clients see of it is {@link #shown()}. */
public record DeployedAgent(
        String id,
        TenantId tenant,
        AgentName name,
        int version,
        Path folder,
        Map<String, String> env,
        RawJson config,
        long createdAt,
        long updatedAt) {

    public DeployedAgent {
        env = Map.copyOf(env);
    }

    Agent shown() {
        var hidden = new TreeMap<String, String>();
        env.keySet().forEach(name -> hidden.put(name, "***"));
        return new Agent(
                id,
                name.value(),
                tenant.value(),
                version,
                folder.toString(),
                hidden.isEmpty() ? null : hidden,
                config,
                Timestamps.iso(createdAt),
                Timestamps.iso(updatedAt));
    }
}
