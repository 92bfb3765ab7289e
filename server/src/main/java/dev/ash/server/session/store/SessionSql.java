package dev.ash.server.session.store;

/** The statements of {@link SessionStore}. */
final class SessionSql {
    static final String INSERT =
            """
            INSERT INTO sessions (id, tenant_id, agent_id, agent_name, agent_version, sandbox_id,
                status, parent_session_id, engine, model, permission_mode, settings, wall, project,
                created_at, last_active_at)
            VALUES (:id, :tenant, :agentId, :agent, :version, :sandbox,
                :status, :parent, :engine, :model, :mode, :settings, :wall, :project,
                :created, :created)
            """;

    static final String SET_SANDBOX =
            """
            UPDATE sessions
            SET sandbox_id = :sandbox,
                isolation = :isolation
            WHERE id = :id
            """;

    static final String ASSIGN_SANDBOX =
            """
            UPDATE sandboxes
            SET session_id = :id,
                state = 'waiting',
                last_used_at = :now
            WHERE id = :sandbox
            """;

    static final String CONFIGURE =
            """
            UPDATE sessions
            SET settings = :settings,
                model = :model,
                permission_mode = coalesce(:mode, permission_mode),
                wall = :wall
            WHERE id = :id
            """;

    static final String MARK_SET_UP =
            """
            UPDATE sessions
            SET is_set_up = TRUE
            WHERE id = :id
            """;

    static final String COUNT_SET_UP =
            """
            SELECT count(*)
            FROM sessions
            WHERE id = :id
              AND is_set_up
            """;

    static final String TOUCH =
            """
            UPDATE sessions
            SET last_active_at = :now
            WHERE id = :id
            """;

    static final String FIND =
            """
            SELECT *
            FROM sessions
            WHERE id = :id
            """;

    static final String FIND_OF_TENANT =
            """
            SELECT *
            FROM sessions
            WHERE id = :id
              AND tenant_id = :tenant
            """;

    static final String STATUS_DETAILS =
            """
            SELECT status, paused_by, error
            FROM sessions
            WHERE id = :id
              AND tenant_id = :tenant
            """;

    /** No character of an id is greater than "f". */
    static final String FILTER =
            """
            FROM sessions
            WHERE tenant_id = :tenant
              AND (:agent IS NULL OR agent_name = :agent)
              AND (:status IS NULL OR status = :status)
              AND (:prefix IS NULL OR (id >= :prefix AND id < :prefix || 'g'))
            """;

    static final String LIST =
            """
            SELECT *
            %s
            ORDER BY created_at DESC, id
            LIMIT :limit OFFSET :offset
            """
                    .formatted(FILTER);

    static final String COUNT =
            """
            SELECT count(*)
            %s
            """
                    .formatted(FILTER);

    static final String NOT_ENDED_OF_AGENT =
            """
            SELECT *
            FROM sessions
            WHERE agent_id = :agent
              AND status <> 'ended'
            """;

    static final String RECOVERABLE =
            """
            SELECT s.*, b.state, b.nonce
            FROM sessions s
            LEFT JOIN sandboxes b ON b.id = s.sandbox_id
            WHERE s.status IN ('starting', 'active')
               OR (s.status <> 'ended' AND b.state <> 'cold')
            """;

    static final String COUNT_ACTIVE =
            """
            SELECT count(*)
            FROM sessions
            WHERE status = 'active'
            """;

    private SessionSql() {}
}
