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
 * An agent with its secrets; {@link #toApi} returns the representation for clients.
 *
 * @param directory the server's copy of the files of this version
 * @param source the directory of the host that was deployed, as requested by the client
 */
public record DeployedAgent(
        String id,
        TenantId tenant,
        AgentName name,
        int version,
        Path directory,
        Map<String, String> env,
        RawJson config,
        long createdAt,
        long updatedAt,
        @Nullable String source) {

    public DeployedAgent {
        env = Map.copyOf(env);
    }

    Agent toApi() {
        return toApi(List.of());
    }

    /** Returns the response to a change of files; {@code leftOut} has the skipped paths. */
    Agent toApi(List<String> leftOut) {
        var hidden = new TreeMap<String, String>();
        env.keySet().forEach(name -> hidden.put(name, "***"));
        return new Agent(
                id,
                name.value(),
                tenant.value(),
                version,
                source == null ? directory.toString() : source,
                hidden.isEmpty() ? null : hidden,
                config,
                Timestamps.iso(createdAt),
                Timestamps.iso(updatedAt),
                leftOut.isEmpty() ? null : leftOut);
    }
}
