package dev.ash.server.agent;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.store.Database;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.Transaction;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Stores agents and the sizes of their versions; environment variables are encrypted. */
public final class AgentStore {
    private static final String FIND =
            """
            SELECT *
            FROM agents
            WHERE tenant_id = :tenant
              AND name = :name
            """;

    private static final String NAMES =
            """
            SELECT name
            FROM agents
            WHERE tenant_id = :tenant
            ORDER BY name
            """;

    private static final String ALL =
            """
            SELECT *
            FROM agents
            ORDER BY updated_at DESC
            """;

    private static final String SAVE =
            """
            INSERT INTO agents
              (id, tenant_id, name, version, path, env, config, created_at, updated_at, source)
            VALUES
              (:id, :tenant, :name, :version, :path, :env, :config, :created, :updated, :source)
            ON CONFLICT (id) DO UPDATE SET
              version = excluded.version,
              path = excluded.path,
              env = excluded.env,
              config = excluded.config,
              updated_at = excluded.updated_at,
              source = excluded.source
            """;

    private static final String DELETE =
            """
            DELETE FROM agents
            WHERE id = :id
            """;

    private static final String SAVE_SIZE =
            """
            INSERT INTO agent_versions (agent_id, version, bytes)
            VALUES (:id, :version, :bytes)
            ON CONFLICT (agent_id, version) DO UPDATE SET bytes = excluded.bytes
            """;

    private static final String SIZED_VERSIONS =
            """
            SELECT version
            FROM agent_versions
            WHERE agent_id = :id
            """;

    private static final String DELETE_OTHER_SIZES =
            """
            DELETE FROM agent_versions
            WHERE agent_id = :id
              AND version NOT IN (<versions>)
            """;

    private static final String DELETE_SIZES =
            """
            DELETE FROM agent_versions
            WHERE agent_id = :id
            """;

    private static final String VERSIONS_IN_USE =
            """
            SELECT DISTINCT agent_version
            FROM sessions
            WHERE agent_id = :id
              AND status <> 'ended'
            """;

    private final Database database;
    private final QuotaStore quotas;
    private final Sealer sealer;

    public AgentStore(Database database, Sealer sealer, QuotaStore quotas) {
        this.database = database;
        this.quotas = quotas;
        this.sealer = sealer;
    }

    Optional<DeployedAgent> find(TenantId tenant, AgentName name) {
        return database.read(
                handle ->
                        handle.createQuery(FIND)
                                .bind("tenant", tenant.value())
                                .bind("name", name.value())
                                .map(rows -> agent(rows))
                                .findOne());
    }

    List<AgentName> names(TenantId tenant) {
        return database.read(
                handle ->
                        handle.createQuery(NAMES)
                                .bind("tenant", tenant.value())
                                .map(rows -> new AgentName(rows.getString("name")))
                                .list());
    }

    List<DeployedAgent> all() {
        return database.read(handle -> handle.createQuery(ALL).map(rows -> agent(rows)).list());
    }

    /** Stores a new version after checking the tenant's quota; {@code bytes} is its size. */
    void saveVersion(DeployedAgent agent, long bytes) {
        database.writer()
                .write(
                        transaction -> {
                            quotas.requireAgent(
                                    transaction, agent.tenant(), agent.name().value(), bytes);
                            saveSize(transaction, agent.id(), agent.version(), bytes);
                            return save(transaction, agent);
                        });
    }

    /** Checks the tenant's quota before a deployment. */
    void checkQuota(TenantId tenant, AgentName name) {
        quotas.checkAgent(tenant, name.value());
    }

    /** Stores the size of a version that an earlier release stored without its size. */
    void saveSize(String id, int version, long bytes) {
        database.writer().write(transaction -> saveSize(transaction, id, version, bytes));
    }

    private static int saveSize(Transaction transaction, String id, int version, long bytes) {
        return transaction
                .handle()
                .createUpdate(SAVE_SIZE)
                .bind("id", id)
                .bind("version", version)
                .bind("bytes", bytes)
                .execute();
    }

    /** Returns the versions whose size is stored. */
    Set<Integer> sizedVersions(String id) {
        return database.read(
                handle ->
                        handle.createQuery(SIZED_VERSIONS)
                                .bind("id", id)
                                .mapTo(Integer.class)
                                .set());
    }

    /** Deletes the sizes of all other versions. */
    void deleteOtherSizes(String id, Set<Integer> versions) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE_OTHER_SIZES)
                                        .bind("id", id)
                                        .bindList("versions", List.copyOf(versions))
                                        .execute());
    }

    void save(DeployedAgent agent) {
        database.writer().write(transaction -> save(transaction, agent));
    }

    private int save(Transaction transaction, DeployedAgent agent) {
        return transaction
                .handle()
                .createUpdate(SAVE)
                .bind("id", agent.id())
                .bind("tenant", agent.tenant().value())
                .bind("name", agent.name().value())
                .bind("version", agent.version())
                .bind("path", agent.directory().toString())
                .bind("env", sealed(agent.env()))
                .bind("config", agent.config().toString())
                .bind("created", agent.createdAt())
                .bind("updated", agent.updatedAt())
                .bind("source", agent.source())
                .execute();
    }

    void delete(DeployedAgent agent) {
        database.writer()
                .write(
                        transaction -> {
                            var handle = transaction.handle();
                            handle.createUpdate(DELETE_SIZES).bind("id", agent.id()).execute();
                            return handle.createUpdate(DELETE).bind("id", agent.id()).execute();
                        });
    }

    /** Returns the versions of this agent that are used by sessions that have not ended. */
    List<Integer> versionsInUse(String agentId) {
        return database.read(
                handle ->
                        handle.createQuery(VERSIONS_IN_USE)
                                .bind("id", agentId)
                                .mapTo(Integer.class)
                                .list());
    }

    private byte[] sealed(Map<String, String> env) {
        return sealer.seal(JsonWriter.object().put("env", env).end().toBytes());
    }

    private DeployedAgent agent(ResultSet rows) throws SQLException {
        return new DeployedAgent(
                rows.getString("id"),
                new TenantId(rows.getString("tenant_id")),
                new AgentName(rows.getString("name")),
                rows.getInt("version"),
                Path.of(rows.getString("path")),
                unsealed(rows.getBytes("env")),
                RawJson.of(rows.getString("config")),
                rows.getLong("created_at"),
                rows.getLong("updated_at"),
                rows.getString("source"));
    }

    private Map<String, String> unsealed(byte[] sealed) {
        try {
            return JsonObject.parse(new RawJson(sealer.unseal(sealed))).stringMap("env");
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e);
        }
    }
}
