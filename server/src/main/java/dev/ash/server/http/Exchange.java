package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.server.identity.Identity;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/** One request and its answer, as handlers see them. For one thread. */
public interface Exchange {
    /** Whose key it is; not on endpoints with {@link Access#OPEN}. */
    Identity caller();

    /** A variable of the path template, decoded; {@code {path*}} is asked for as {@code path}. */
    String path(String variable);

    /** A query parameter, decoded; the first where it is given more than once. */
    Optional<String> query(String name);

    Optional<String> header(String name);

    /** The JSON body bound strictly to a record; an empty body is an empty object. */
    <T> T body(Class<T> type);

    /**
     * The same for a body with long texts, which are not read into memory: in their places, such as
     * {@code bundle} or {@code files[].content}, are names that the spool knows them by. Whoever
     * asks closes the spool.
     */
    <T> T body(Class<T> type, Spool spool, Set<String> places);

    /** The body as it came; not a copy. */
    byte[] bodyBytes();

    /** Frees the memory of the body: for handlers that go on long after they have read it. */
    void releaseBody();

    /** Names the session in the error body, should this request fail from here on. */
    void about(SessionId session);

    /** The session that the path names as {@code {id}}; errors of this request name it too. */
    default SessionId session() {
        var id = new SessionId(path("id"));
        about(id);
        return id;
    }

    /** A query parameter that is {@code true} or {@code false}, which is the default. */
    default boolean flag(String name) {
        return switch (query(name).orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw ApiException.invalid(name, "must be true or false");
        };
    }

    /**
     * Waits for something, and fails with UNAUTHORIZED when the caller's key is revoked or expires
     * meanwhile. The wait is interrupted then, so it must not use channels that others share.
     */
    <T> T await(Callable<T> wait) throws Exception;

    void answer(int status, Object body);

    /** An answer without a body. */
    void answer(int status);

    /** A body of any kind; closing it ends the answer, which otherwise ends with the handler. */
    OutputStream stream(int status, Map<String, String> headers);

    /**
     * A JSON body that is written in pieces and ends when it is closed. A short one is sent as a
     * whole then, so that a failure before it can still be answered.
     */
    OutputStream json(int status);

    /**
     * Begins an event stream: its headers are sent at once. From here on the handler may only wait
     * for events and write them: it is interrupted when the caller's key is revoked or expires.
     */
    SseStream sse();
}
