package dev.ash.server.quota;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.event.EventStore;
import dev.ash.server.event.LogLimit;
import dev.ash.server.store.Database;
import dev.ash.server.store.Handle;
import dev.ash.server.store.Transaction;

/**
 * Rejects requests that would exceed a quota. Usage is counted from the rows themselves, in the
 * transaction that adds to them, so quotas are exact and nothing has to be released. The {@code
 * check} methods reject most requests early, before they cost anything; the {@code require} methods
 * decide.
 */
public final class QuotaStore {
    /** Excludes sessions that failed before their first sandbox; they count after a resume. */
    private static final String SESSIONS =
            """
            SELECT count(*)
            FROM sessions
            WHERE tenant_id = :tenant
              AND status <> 'ended'
              AND NOT (status = 'error' AND isolation IS NULL)
            """;

    private static final String AGENTS =
            """
            SELECT count(*)
            FROM agents
            WHERE tenant_id = :tenant
              AND name <> :name
            """;

    /**
     * The last event stores the size of a log. A log of an earlier version counts as empty until
     * its size is determined: summing it here would block the writer.
     */
    private static final String LOG =
            """
            SELECT coalesce((
              SELECT log_bytes
              FROM events AS e
              WHERE e.session_id = s.id
              ORDER BY seq DESC
              LIMIT 1
            ), 0)
            FROM sessions AS s
            WHERE s.id = :session
            """;

    /** The sizes of the logs of all sessions of a tenant. */
    private static final String LOGS =
            """
            SELECT coalesce(sum(coalesce((
              SELECT log_bytes
              FROM events AS e
              WHERE e.session_id = s.id
              ORDER BY seq DESC
              LIMIT 1
            ), 0)), 0)
            FROM sessions AS s
            WHERE tenant_id = :tenant
            """;

    private static final String QUEUED =
            """
            SELECT coalesce(sum(length(query)), 0)
            FROM turns
            WHERE status = 'queued'
              AND session_id = :session
            """;

    private static final String ALL_QUEUED =
            """
            SELECT coalesce(sum(length(query)), 0)
            FROM turns
            WHERE status = 'queued'
              AND session_id IN (
                SELECT id
                FROM sessions
                WHERE tenant_id = :tenant
                  AND status <> 'ended'
              )
            """;

    private static final String FILES =
            """
            SELECT coalesce(sum(bytes), 0)
            FROM agent_versions
            WHERE agent_id IN (
              SELECT id
              FROM agents
              WHERE tenant_id = :tenant
            )
            """;

    private final Database database;
    private final Quotas quotas;

    public QuotaStore(Database database, Quotas quotas) {
        this.database = database;
        this.quotas = quotas;
    }

    /** Checks the creation of a session. */
    public void checkSession(TenantId tenant) {
        if (quotas.sessions().of(tenant) != Long.MAX_VALUE) {
            database.read(handle -> requireSession(handle, tenant));
        }
    }

    public void requireSession(Transaction transaction, TenantId tenant) {
        if (quotas.sessions().of(tenant) != Long.MAX_VALUE) {
            requireSession(transaction.handle(), tenant);
        }
    }

    private long requireSession(Handle handle, TenantId tenant) {
        long limit = quotas.sessions().of(tenant);
        long count = number(handle, SESSIONS, tenant);
        if (count >= limit) {
            throw exceeded(
                    "The tenant has %d sessions that have not ended; its limit is %d (ASH_TENANT_MAX_SESSIONS). End a session, or ask the operator to raise the limit"
                            .formatted(count, limit));
        }
        return count;
    }

    /** Checks the deployment of an agent with this name, new or existing. */
    public void checkAgent(TenantId tenant, String name) {
        database.read(handle -> requireAgent(handle, tenant, name, 0));
    }

    public void requireAgent(Transaction transaction, TenantId tenant, String name, long bytes) {
        requireAgent(transaction.handle(), tenant, name, bytes);
    }

    private boolean requireAgent(Handle handle, TenantId tenant, String name, long bytes) {
        long limit = quotas.agents().of(tenant);
        if (limit != Long.MAX_VALUE) {
            long others =
                    handle.createQuery(AGENTS)
                            .bind("tenant", tenant.value())
                            .bind("name", name)
                            .mapTo(Long.class)
                            .one();
            if (others >= limit) {
                throw exceeded(
                        "The tenant has %d agents; its limit is %d (ASH_TENANT_MAX_AGENTS). Delete an agent, or ask the operator to raise the limit"
                                .formatted(others, limit));
            }
        }
        requireStorage(handle, tenant, bytes);
        return true;
    }

    /** Checks a prompt of this size. The session must belong to the tenant. */
    public void checkPrompt(TenantId tenant, SessionId session, long bytes) {
        if (limitsPrompts(tenant)) {
            database.read(handle -> requirePrompt(handle, tenant, session, bytes));
        }
    }

    public boolean limitsPrompts(TenantId tenant) {
        return !quotas.log().equals(LogLimit.NONE)
                || quotas.storageMb().of(tenant) != Long.MAX_VALUE;
    }

    public void requirePrompt(
            Transaction transaction, TenantId tenant, SessionId session, long bytes) {
        if (limitsPrompts(tenant)) {
            requirePrompt(transaction.handle(), tenant, session, bytes);
        }
    }

    private boolean requirePrompt(Handle handle, TenantId tenant, SessionId session, long bytes) {
        var limit = quotas.log();
        if (!limit.equals(LogLimit.NONE)
                && log(handle, session) + queued(handle, session) + bytes + EventStore.ROW_BYTES
                        > limit.bytes()) {
            throw limit.logFull();
        }
        requireStorage(handle, tenant, bytes);
        return true;
    }

    private static long log(Handle handle, SessionId session) {
        return handle.createQuery(LOG)
                .bind("session", session.value())
                .mapTo(Long.class)
                .findOne()
                .orElse(0L);
    }

    private static long queued(Handle handle, SessionId session) {
        return handle.createQuery(QUEUED).bind("session", session.value()).mapTo(Long.class).one();
    }

    /** Checks the copy of a session, with a log of about the same size. */
    public void requireFork(Transaction transaction, TenantId tenant, SessionId original) {
        requireSession(transaction, tenant);
        if (quotas.storageMb().of(tenant) != Long.MAX_VALUE) {
            var handle = transaction.handle();
            requireStorage(handle, tenant, log(handle, original));
        }
    }

    private void requireStorage(Handle handle, TenantId tenant, long added) {
        long limitMb = quotas.storageMb().of(tenant);
        if (limitMb == Long.MAX_VALUE) {
            return;
        }
        long used =
                number(handle, LOGS, tenant)
                        + number(handle, ALL_QUEUED, tenant)
                        + number(handle, FILES, tenant);
        if (used >= limitMb * Quotas.MB || used + added > limitMb * Quotas.MB) {
            throw exceeded(
                    "The tenant has stored %.1f MB of logs and agents' files, this request adds %.1f MB, and the limit is %d MB (ASH_TENANT_MAX_STORAGE_MB). Purge ended sessions with DELETE /api/sessions/{id}?purge=true, delete agents, or ask the operator to raise the limit"
                            .formatted(megabytes(used), megabytes(added), limitMb));
        }
    }

    private static double megabytes(long bytes) {
        return (double) bytes / Quotas.MB;
    }

    private static long number(Handle handle, String query, TenantId tenant) {
        return handle.createQuery(query).bind("tenant", tenant.value()).mapTo(Long.class).one();
    }

    private static ApiException exceeded(String message) {
        return new ApiException(ErrorCode.QUOTA_EXCEEDED, message);
    }
}
