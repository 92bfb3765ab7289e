package dev.ash.server.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.quota.Quotas;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.StoreContract;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(AgentStore.class)
class AgentStoreTest extends StoreContract {
    private AgentStore store;

    @BeforeEach
    void create() throws IOException {
        var sealer = Sealer.open(directory().resolve("key"), new SecureRandom());
        store = new AgentStore(database, sealer, new QuotaStore(database, Quotas.NONE));
    }

    private static DeployedAgent agent(
            TenantId tenant, String id, String name, int version, @Nullable String source) {
        return new DeployedAgent(
                id,
                tenant,
                new AgentName(name),
                version,
                Path.of("/agents/" + TEXT.replace("\n", "") + "/" + version),
                Map.of("NAME", TEXT, "EMPTY", ""),
                RawJson.of("{\"text\":\"🦊\"}"),
                LATE,
                LATE + version,
                source);
    }

    @Test
    void storesAndFindsAgents() {
        var agent = agent(TENANT, "id", "qa-bot", 1, "/home/" + TEXT);
        store.saveVersion(agent, 100);

        assertThat(store.find(TENANT, new AgentName("qa-bot"))).contains(agent);
        assertThat(store.find(OTHER_TENANT, new AgentName("qa-bot"))).isEmpty();
        assertThat(row("agents").get("env")).isNotEqualTo(bytes(TEXT));

        var uploaded = agent(TENANT, "id", "qa-bot", 2, null);
        store.save(uploaded);
        assertThat(store.find(TENANT, new AgentName("qa-bot"))).contains(uploaded);
    }

    @Test
    void keepsCreationTimeOnUpdate() {
        store.save(agent(TENANT, "id", "qa-bot", 1, null));
        var changed =
                new DeployedAgent(
                        "id",
                        TENANT,
                        new AgentName("qa-bot"),
                        1,
                        Path.of("/p"),
                        Map.of(),
                        RawJson.EMPTY_OBJECT,
                        0,
                        1,
                        null);

        store.save(changed);

        var found = store.find(TENANT, new AgentName("qa-bot")).orElseThrow();
        assertThat(found.createdAt()).isEqualTo(LATE);
        assertThat(found.updatedAt()).isEqualTo(1);
        assertThat(found.env()).isEmpty();
    }

    @Test
    void listsNamesSortedAndAgentsByLastUpdate() {
        store.save(agent(TENANT, "1", "b", 1, null));
        store.save(agent(TENANT, "2", "a", 3, null));
        store.save(agent(OTHER_TENANT, "3", "a", 2, null));

        assertThat(store.names(TENANT)).containsExactly(new AgentName("a"), new AgentName("b"));
        assertThat(store.all()).extracting(DeployedAgent::id).containsExactly("2", "3", "1");
    }

    @Test
    void rejectsSecondAgentWithSameNameAndRollsBack() {
        store.saveVersion(agent(TENANT, "1", "a", 1, null), 10);

        assertThatThrownBy(() -> store.saveVersion(agent(TENANT, "2", "a", 1, null), 20))
                .isInstanceOf(ApiException.class);

        assertThat(store.all()).extracting(DeployedAgent::id).containsExactly("1");
        assertThat(store.sizedVersions("2")).isEmpty();
    }

    @Test
    void storesAndDeletesSizesOfVersions() {
        var agent = agent(TENANT, "1", "a", 1, null);
        store.saveVersion(agent, 10);
        store.saveSize("1", 2, 20);
        store.saveSize("1", 3, 30);
        store.saveSize("other", 1, 40);
        store.saveSize("1", 3, LATE);
        assertThat(store.sizedVersions("1")).containsExactlyInAnyOrder(1, 2, 3);

        store.deleteOtherSizes("1", Set.of(3));
        assertThat(store.sizedVersions("1")).containsExactly(3);

        store.delete(agent);
        assertThat(store.sizedVersions("1")).isEmpty();
        assertThat(store.sizedVersions("other")).containsExactly(1);
        assertThat(store.all()).isEmpty();
    }

    @Test
    void findsVersionsUsedBySessionsThatHaveNotEnded() {
        insertSession(TENANT, SessionId.random(), SandboxId.random(), "1", "ended");
        assertThat(store.versionsInUse("1")).isEmpty();

        insertSession(TENANT, SessionId.random(), SandboxId.random(), "1", "active");
        insertSession(TENANT, SessionId.random(), SandboxId.random(), "1", "paused");

        assertThat(store.versionsInUse("1")).containsExactly(3);
    }

    @Test
    void serializesConcurrentUpdates() {
        concurrently(
                20,
                i ->
                        () -> {
                            store.saveVersion(agent(TENANT, "id", "a", i + 1, null), i);
                            return i;
                        });

        assertThat(store.all()).hasSize(1);
        assertThat(store.sizedVersions("id")).hasSize(20);
    }
}
