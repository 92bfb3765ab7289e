package dev.ash.server.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.TenantId;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.quota.Quotas;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the agent of an engine, which is deployed with the engine's first session. */
class EnsuredAgentTest {
    private static final TenantId TENANT = new TenantId("default");

    @TempDir Path directory;

    /** A second version would remove the files that a session of the first one is copying. */
    @Test
    void deploysOneVersionForConcurrentFirstSessions() throws Exception {
        var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());
        try (var database = Database.open(directory.resolve("ash.db"));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var store = new AgentStore(database, sealer, new QuotaStore(database, Quotas.NONE));
            var directories = new AgentDirectories(directory.resolve("agents"));
            var agents =
                    new Agents(
                            store,
                            directories,
                            AgentRoots.NONE,
                            Agents.Listener.NONE,
                            Clock.systemUTC());
            var name = new AgentName("claude-code");
            Callable<AgentName> ensure =
                    () -> {
                        agents.ensure(TENANT, name);
                        return name;
                    };

            for (var done : threads.invokeAll(Collections.nCopies(8, ensure))) {
                assertThat(done.get()).isEqualTo(name);
            }

            assertThat(store.find(TENANT, name).orElseThrow().version()).isEqualTo(1);
        }
    }
}
