package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Copies the beginning of a session's log to its fork. */
public final class LogCopyStore {
    private static final String LAST_SEQ =
            """
            SELECT coalesce(max(seq), 0)
            FROM events
            WHERE session_id = :session
            """;

    private static final String SEQ_OF_DONE =
            """
            SELECT seq
            FROM events
            WHERE session_id = :session
              AND turn_id = :turn
              AND type = 'done'
            """;

    private static final String MESSAGES_BACKWARDS =
            """
            SELECT data
            FROM events
            WHERE session_id = :session
              AND seq <= :cut
              AND type = 'message'
            ORDER BY seq DESC
            """;

    private static final String TURNS =
            """
            SELECT DISTINCT turn_id
            FROM events
            WHERE session_id = :original
              AND seq <= :cut
              AND turn_id IS NOT NULL
            """;

    private static final String COPY_EVENTS_OF_TURN =
            """
            INSERT INTO events
              (session_id, seq, turn_id, type, data, created_at, message_no, event_no, log_bytes)
            SELECT :copy, seq, :newTurn, type, data, created_at, message_no, event_no, log_bytes
            FROM events
            WHERE session_id = :original
              AND seq <= :cut
              AND turn_id = :turn
            """;

    private static final String COPY_EVENTS_OF_NO_TURN =
            """
            INSERT INTO events
              (session_id, seq, turn_id, type, data, created_at, message_no, event_no, log_bytes)
            SELECT :copy, seq, NULL, type, data, created_at, message_no, event_no, log_bytes
            FROM events
            WHERE session_id = :original
              AND seq <= :cut
              AND turn_id IS NULL
            """;

    private static final String COPY_TURN =
            """
            INSERT INTO turns (id, session_id, origin, status, started_at, ended_at, place)
            SELECT :newTurn, :copy, origin, status, started_at, ended_at, place
            FROM turns
            WHERE id = :turn
            """;

    private final Database database;

    public LogCopyStore(Database database) {
        this.database = database;
    }

    /**
     * The end of the part of a log that is copied.
     *
     * @param seq the number of the last copied event
     * @param message the engine's id of the last copied assistant message; null if the whole log is
     *     copied
     */
    public record Cut(long seq, @Nullable String message) {}

    /** Returns the cut after a finished turn, or at the end; empty if there is no such turn. */
    public Optional<Cut> cutAfter(SessionId session, @Nullable TurnId turn) {
        return database.read(
                handle -> {
                    long end =
                            handle.createQuery(LAST_SEQ)
                                    .bind("session", session.value())
                                    .mapTo(Long.class)
                                    .one();
                    if (turn == null) {
                        return Optional.of(new Cut(end, null));
                    }
                    return handle.createQuery(SEQ_OF_DONE)
                            .bind("session", session.value())
                            .bind("turn", turn.value())
                            .mapTo(Long.class)
                            .findOne()
                            .map(seq -> new Cut(seq, lastMessage(session, seq).orElse(null)));
                });
    }

    /** Returns the engine's uuid of the last assistant message up to the cut. */
    private Optional<String> lastMessage(SessionId session, long cut) {
        return database.read(
                handle ->
                        handle.createQuery(MESSAGES_BACKWARDS)
                                .bind("session", session.value())
                                .bind("cut", cut)
                                .map(row -> new RawJson(row.getBytes("data")))
                                .findFirst(LogCopyStore::assistantUuid));
    }

    private static Optional<String> assistantUuid(RawJson data) {
        try {
            var message = JsonObject.parse(data);
            return message.string("type").filter("assistant"::equals).isPresent()
                    ? message.string("uuid")
                    : Optional.empty();
        } catch (MalformedJsonException e) {
            return Optional.empty();
        }
    }

    /** Copies events with their numbers. Turns get new ids: an id has one {@code done}. */
    public void copy(Transaction transaction, SessionId original, SessionId copy, long cut) {
        var handle = transaction.handle();
        var turns =
                handle.createQuery(TURNS)
                        .bind("original", original.value())
                        .bind("cut", cut)
                        .mapTo(String.class)
                        .list();
        for (var turn : turns) {
            var newTurn = TurnId.random().value();
            handle.createUpdate(COPY_EVENTS_OF_TURN)
                    .bind("original", original.value())
                    .bind("copy", copy.value())
                    .bind("cut", cut)
                    .bind("turn", turn)
                    .bind("newTurn", newTurn)
                    .execute();
            handle.createUpdate(COPY_TURN)
                    .bind("copy", copy.value())
                    .bind("turn", turn)
                    .bind("newTurn", newTurn)
                    .execute();
        }
        handle.createUpdate(COPY_EVENTS_OF_NO_TURN)
                .bind("original", original.value())
                .bind("copy", copy.value())
                .bind("cut", cut)
                .execute();
    }
}
