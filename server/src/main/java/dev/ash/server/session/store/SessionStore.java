package dev.ash.server.session.store;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.bridge.EngineConfig;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.SessionUsage;
import dev.ash.sandbox.AgentVersion;
import dev.ash.server.http.Json;
import dev.ash.server.isolation.IsolationPolicy;
import dev.ash.server.session.store.SessionRow.PausedBy;
import dev.ash.server.session.store.SessionRow.StatusDetails;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Query;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.Transaction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Stores sessions. Engine configurations are sealed: they contain prompts and environments. */
public final class SessionStore {
    private final Database database;
    private final Sealer sealer;

    public SessionStore(Database database, Sealer sealer) {
        this.database = database;
        this.sealer = sealer;
    }

    public void insert(Transaction transaction, SessionRow row) {
        transaction
                .handle()
                .createUpdate(SessionSql.INSERT)
                .bind("project", row.project() == null ? null : row.project().toString())
                .bind("wall", text(Json.write(row.policy())))
                .bind("parent", row.parent() == null ? null : row.parent().value())
                .bind("id", row.id().value())
                .bind("tenant", row.tenant().value())
                .bind("agentId", row.agent().agentId())
                .bind("agent", row.agentName().value())
                .bind("version", row.agent().version())
                .bind("sandbox", row.sandbox().value())
                .bind("status", row.status().wire())
                .bind("engine", row.engine())
                .bind("model", row.config().model())
                .bind("mode", row.permissionMode())
                .bind("settings", sealed(row.id(), row.config()))
                .bind("created", row.times().createdAt())
                .execute();
    }

    /** Stores the sandbox of a session and its isolation, and the session of the sandbox. */
    public void setSandbox(
            Transaction transaction,
            SessionId id,
            SandboxId sandbox,
            Isolation isolation,
            long now) {
        transaction
                .handle()
                .createUpdate(SessionSql.ASSIGN_SANDBOX)
                .bind("id", id.value())
                .bind("sandbox", sandbox.value())
                .bind("now", now)
                .execute();
        transaction
                .handle()
                .createUpdate(SessionSql.SET_SANDBOX)
                .bind("id", id.value())
                .bind("sandbox", sandbox.value())
                .bind("isolation", text(Json.write(isolation)))
                .execute();
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    public void configure(SessionId id, EngineConfig config, IsolationPolicy policy) {
        database.writer()
                .execute(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(SessionSql.CONFIGURE)
                                        .bind("id", id.value())
                                        .bind("mode", config.permissionMode())
                                        .bind("settings", sealed(id, config))
                                        .bind("model", config.model())
                                        .bind("wall", text(Json.write(policy)))
                                        .execute());
    }

    /** Stores that the agent's set-up scripts have run. */
    public void markSetUp(SessionId id) {
        database.writer()
                .execute(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(SessionSql.MARK_SET_UP)
                                        .bind("id", id.value())
                                        .execute());
    }

    public boolean isSetUp(SessionId id) {
        return database.read(
                handle ->
                        handle.createQuery(SessionSql.COUNT_SET_UP)
                                        .bind("id", id.value())
                                        .mapTo(Long.class)
                                        .one()
                                > 0);
    }

    public void touch(Transaction transaction, SessionId id, long now) {
        transaction
                .handle()
                .createUpdate(SessionSql.TOUCH)
                .bind("id", id.value())
                .bind("now", now)
                .execute();
    }

    public Optional<SessionRow> find(TenantId tenant, SessionId id) {
        return database.read(
                handle ->
                        handle.createQuery(SessionSql.FIND_OF_TENANT)
                                .bind("id", id.value())
                                .bind("tenant", tenant.value())
                                .map(rows -> row(rows))
                                .findOne());
    }

    /** Reads only the status, without unsealing the settings. */
    public Optional<StatusDetails> statusDetails(TenantId tenant, SessionId id) {
        return database.read(
                handle ->
                        handle.createQuery(SessionSql.STATUS_DETAILS)
                                .bind("id", id.value())
                                .bind("tenant", tenant.value())
                                .map(rows -> statusDetails(rows))
                                .findOne());
    }

    private static StatusDetails statusDetails(ResultSet rows) throws SQLException {
        return new StatusDetails(
                SessionStatus.ofWire(rows.getString("status")),
                Optional.ofNullable(rows.getString("paused_by"))
                        .map(by -> PausedBy.valueOf(by.toUpperCase(Locale.ROOT)))
                        .orElse(null),
                rows.getString("error"));
    }

    /** Finds a session of any tenant; for the server's own use. */
    public Optional<SessionRow> find(SessionId id) {
        return database.read(
                handle ->
                        handle.createQuery(SessionSql.FIND)
                                .bind("id", id.value())
                                .map(rows -> row(rows))
                                .findOne());
    }

    /** Selects sessions to list, newest first. */
    public record Filter(
            TenantId tenant,
            Optional<String> agent,
            Optional<SessionStatus> status,
            int limit,
            long offset,
            Optional<String> idPrefix) {

        public Filter(
                TenantId tenant,
                Optional<String> agent,
                Optional<SessionStatus> status,
                int limit,
                long offset) {
            this(tenant, agent, status, limit, offset, Optional.empty());
        }
    }

    /** Maps each row; the rows themselves, with their long prompts, are not retained. */
    public <T> List<T> list(Filter filter, Function<SessionRow, T> mapper) {
        return database.read(
                handle ->
                        filtered(handle, SessionSql.LIST, filter)
                                .bind("limit", filter.limit())
                                .bind("offset", filter.offset())
                                .map(rows -> mapper.apply(row(rows)))
                                .list());
    }

    public long count(Filter filter) {
        return database.read(
                handle -> filtered(handle, SessionSql.COUNT, filter).mapTo(Long.class).one());
    }

    private static Query filtered(Handle handle, String query, Filter filter) {
        return handle.createQuery(query)
                .bind("tenant", filter.tenant().value())
                .bind("agent", filter.agent().orElse(null))
                .bind("status", filter.status().map(SessionStatus::wire).orElse(null))
                .bind("prefix", filter.idPrefix().orElse(null));
    }

    /** Returns the sessions of an agent that have not ended. */
    public List<SessionRow> notEnded(String agentId) {
        return database.read(
                handle ->
                        handle.createQuery(SessionSql.NOT_ENDED_OF_AGENT)
                                .bind("agent", agentId)
                                .map(rows -> row(rows))
                                .list());
    }

    /**
     * A session that had a sandbox or was active when the server stopped.
     *
     * @param nonce identifies the latest launch of its sandbox; null if it is asleep
     */
    public record RecoverableSession(SessionRow row, @Nullable String nonce, boolean isAsleep) {}

    public List<RecoverableSession> recoverable() {
        return database.read(
                handle ->
                        handle.createQuery(SessionSql.RECOVERABLE)
                                .map(rows -> recoverable(rows))
                                .list());
    }

    private RecoverableSession recoverable(ResultSet rows) throws SQLException {
        boolean isAsleep = "cold".equals(rows.getString("state"));
        return new RecoverableSession(
                row(rows), isAsleep ? null : rows.getString("nonce"), isAsleep);
    }

    /** Returns the number of active sessions of all tenants. */
    public long countActive() {
        return database.read(
                handle -> handle.createQuery(SessionSql.COUNT_ACTIVE).mapTo(Long.class).one());
    }

    private byte[] sealed(SessionId id, EngineConfig config) {
        var command = new BridgeCommand.Configure(id.value(), config);
        return sealer.seal(BridgeProtocol.encode(command).toBytes());
    }

    private EngineConfig unsealed(byte[] sealed) {
        try {
            return switch (BridgeProtocol.decodeCommand(new RawJson(sealer.unseal(sealed)))) {
                case BridgeCommand.Configure(_, var config) -> config;
                default ->
                        throw new IllegalStateException(
                                "stored settings are not a configure command");
            };
        } catch (MalformedJsonException e) {
            throw new IllegalStateException(e);
        }
    }

    private SessionRow row(ResultSet rows) throws SQLException {
        return new SessionRow(
                new SessionId(rows.getString("id")),
                new TenantId(rows.getString("tenant_id")),
                new AgentVersion(
                        rows.getString("agent_id"),
                        new AgentName(rows.getString("agent_name")),
                        rows.getInt("agent_version")),
                new SessionSetup(
                        new EngineName(rows.getString("engine")),
                        rows.getString("permission_mode"),
                        unsealed(rows.getBytes("settings")),
                        stored(rows, "wall", IsolationPolicy.class)
                                .orElse(IsolationPolicy.DEFAULT)),
                new SandboxId(rows.getString("sandbox_id")),
                statusDetails(rows),
                Optional.ofNullable(rows.getString("parent_session_id"))
                        .map(SessionId::new)
                        .orElse(null),
                stored(rows, "isolation", Isolation.class).orElse(null),
                new SessionRow.Times(rows.getLong("created_at"), rows.getLong("last_active_at")),
                new SessionUsage(
                        rows.getLong("input_tokens"),
                        rows.getLong("output_tokens"),
                        rows.getLong("cache_creation_tokens"),
                        rows.getLong("cache_read_tokens"),
                        rows.getLong("cost_micro_usd") / 1e6),
                Optional.ofNullable(rows.getString("project")).map(Path::of).orElse(null));
    }

    private static <T> Optional<T> stored(ResultSet rows, String column, Class<T> type)
            throws SQLException {
        return Optional.ofNullable(rows.getString(column))
                .map(text -> Json.read(text.getBytes(StandardCharsets.UTF_8), type));
    }
}
