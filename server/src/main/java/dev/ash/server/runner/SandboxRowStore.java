package dev.ash.server.runner;

import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.SandboxRow;
import dev.ash.sandbox.SandboxState;
import dev.ash.sandbox.SandboxStore;
import dev.ash.server.store.Database;
import java.time.Clock;
import java.util.Locale;
import java.util.Set;

/** Stores sandboxes in the server's database. */
public final class SandboxRowStore implements SandboxStore {
    private static final String STARTING =
            """
            INSERT INTO sandboxes
              (id, tenant_id, session_id, agent_name, state, workspace_dir, nonce,
               created_at, last_used_at, launched_at)
            VALUES
              (:id, :tenant, :session, :agent, 'warming', :workspace, :nonce, :now, :now, :now)
            ON CONFLICT (id) DO UPDATE SET
              state = excluded.state,
              nonce = excluded.nonce,
              last_used_at = excluded.last_used_at,
              launched_at = excluded.launched_at
            """;

    private static final String UNUSED =
            """
            SELECT id
            FROM sandboxes
            WHERE NOT EXISTS (
              SELECT 1
              FROM sessions
              WHERE sessions.id = sandboxes.session_id
                AND sessions.sandbox_id = sandboxes.id
                AND sessions.status <> 'ended'
            )
            """;

    private static final String SET_STATE =
            """
            UPDATE sandboxes
            SET state = :state,
                last_used_at = :now
            WHERE id = :id
            """;

    private static final String DELETE =
            """
            DELETE FROM sandboxes
            WHERE id = :id
            """;

    private static final System.Logger LOG = System.getLogger("ash.runner");

    private final Database database;
    private final Clock clock;

    public SandboxRowStore(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    @Override
    public void recordLaunch(SandboxRow row) {
        var session = row.session();
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(STARTING)
                                        .bind("id", row.id().value())
                                        .bind("tenant", row.tenant().value())
                                        .bind("session", session == null ? null : session.value())
                                        .bind("agent", row.agent().value())
                                        .bind("workspace", row.workspaceDir().toString())
                                        .bind("nonce", row.nonce())
                                        .bind("now", clock.millis())
                                        .execute());
    }

    /** Includes those claimed by a session that was never stored, or that has another sandbox. */
    @Override
    public Set<SandboxId> findUnused() {
        return database.read(
                handle ->
                        handle.createQuery(UNUSED)
                                .map(rows -> new SandboxId(rows.getString("id")))
                                .set());
    }

    /**
     * Does not store whether a turn runs in the sandbox of a session, so that turns need no commit
     * for it: the session stores that it has the sandbox. Changes are queued and not awaited.
     */
    @Override
    public void updateState(SandboxId id, SandboxState state) {
        if (state == SandboxState.RUNNING || state == SandboxState.WAITING) {
            return;
        }
        long now = clock.millis();
        database.writer()
                .submit(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(SET_STATE)
                                        .bind("id", id.value())
                                        .bind("state", state.name().toLowerCase(Locale.ROOT))
                                        .bind("now", now)
                                        .execute(),
                        _ -> {},
                        e ->
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "cannot store the state of sandbox " + id,
                                        e));
    }

    @Override
    public void delete(SandboxId id) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE)
                                        .bind("id", id.value())
                                        .execute());
    }
}
