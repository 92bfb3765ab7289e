package dev.ash.server.session.store;

/** The statements of {@link TurnStore}. */
final class TurnSql {
    static final String INSERT =
            """
            INSERT INTO turns (id, session_id, origin, status, started_at, query, place)
            VALUES (:id, :session, :origin, :status, :now, :query,
                    (SELECT coalesce(max(place), 0) + 1 FROM turns WHERE session_id = :session))
            ON CONFLICT (id) DO NOTHING
            """;

    static final String OWNER =
            """
            SELECT session_id
            FROM turns
            WHERE id = :id
            """;

    static final String QUERY =
            """
            SELECT query, session_id
            FROM turns
            WHERE id = :id
              AND query IS NOT NULL
              AND status NOT IN ('done', 'error')
            """;

    static final String QUERY_BYTES =
            """
            SELECT coalesce(length(query), 0)
            FROM turns
            WHERE id = :id
            """;

    static final String BEGIN_QUEUED =
            """
            UPDATE turns
            SET status = 'running',
                started_at = :now,
                query = :query
            WHERE id = :id
              AND status NOT IN ('done', 'error')
            """;

    static final String CHANGE =
            """
            UPDATE turns
            SET status = :status,
                started_at = :now
            WHERE id = :id
              AND status NOT IN ('done', 'error')
            """;

    /** Removes the command, which contains the prompt in rows of earlier versions. */
    static final String END =
            """
            UPDATE turns
            SET status = :status,
                ended_at = :now,
                query = CASE WHEN query IS NULL THEN NULL ELSE :empty END
            WHERE id = :id
            """;

    static final String OPEN =
            """
            SELECT id, status, query IS NOT NULL AS has_query
            FROM turns
            WHERE session_id = :session
              AND status IN ('queued', 'running', 'deferred', 'continued')
            ORDER BY place
            """;

    static final String LOGGED_PROMPT =
            """
            SELECT data
            FROM events
            WHERE session_id = :session
              AND turn_id = :turn
              AND type = 'prompt'
            ORDER BY seq DESC
            LIMIT 1
            """;

    static final String SESSIONS_WITH_QUEUED =
            """
            SELECT DISTINCT session_id
            FROM turns
            WHERE status = 'queued'
            """;

    static final String RUNNING =
            """
            SELECT id
            FROM turns
            WHERE session_id = :session
              AND status IN ('running', 'continued')
            ORDER BY place DESC
            LIMIT 1
            """;

    private TurnSql() {}
}
