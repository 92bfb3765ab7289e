package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.identity.Identity;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;

/** A request and its response, as seen by handlers. Not thread-safe. */
public interface Exchange {
    /** Returns the authenticated caller; fails on endpoints with {@link Access#OPEN}. */
    Identity caller();

    /** Returns a decoded path variable; the name of {@code {path*}} is {@code path}. */
    String path(String variable);

    /** Returns the first decoded value of a query parameter. */
    Optional<String> query(String name);

    Optional<String> header(String name);

    /** Binds the JSON body strictly to a record; an empty body is an empty object. */
    <T> T body(Class<T> type);

    /**
     * Binds a body with long strings, which are written to the spool instead of memory. At their
     * paths, such as {@code bundle} or {@code files[].content}, the record has names that the spool
     * resolves. The caller closes the spool.
     */
    <T> T body(Class<T> type, Spool spool, Set<String> paths);

    /** Returns the raw body; not a copy. */
    byte[] bodyBytes();

    /** Frees the memory of the body, for handlers that run long after reading it. */
    void releaseBody();

    /** Sets the session that a later error response of this request names. */
    void setSession(SessionId session);

    /** Returns the session of the path variable {@code {id}}; error responses name it too. */
    default SessionId session() {
        var id = new SessionId(path("id"));
        setSession(id);
        return id;
    }

    /** Returns a boolean query parameter; the default is false. */
    default boolean flag(String name) {
        return switch (query(name).orElse("false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw ApiException.invalid(name, "must be true or false");
        };
    }

    /**
     * Runs a blocking wait, and fails with UNAUTHORIZED if the caller's key is revoked or expires
     * in the meantime. The wait is then interrupted, so it must not use shared channels.
     */
    <T> T await(Callable<T> wait) throws Exception;

    void respond(int status, Object body);

    /** Responds without a body. */
    void respond(int status);

    /**
     * Starts a response of any content; it completes when the stream is closed or the handler ends.
     */
    OutputStream stream(int status, Map<String, String> headers);

    /**
     * Starts a JSON response that is written incrementally and completes when it is closed. A short
     * one is buffered until then, so that a failure can still produce an error response.
     */
    OutputStream json(int status);

    /**
     * Starts an event stream and sends its headers immediately. The handler may then only wait for
     * events and write them: it is interrupted when the caller's key is revoked or expires.
     */
    SseStream sse();

    /** The same; sends the headers and the first frame with one write. */
    SseStream sse(String event, RawJson data) throws IOException;
}
