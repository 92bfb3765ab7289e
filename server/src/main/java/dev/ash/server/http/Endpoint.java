package dev.ash.server.http;

import dev.ash.protocol.Limits;
import dev.ash.server.identity.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table that the routes, the request checks and the OpenAPI document come from.
 *
 * <p>{@code body} and {@code answer} are records; {@code Void.class} means none, and an answer may
 * also be {@code SseStream.class} (an event stream) or {@code byte[].class} (bytes of any kind).
 * Path templates have {@code {name}} for one segment and, at their end, {@code {name*}} for the
 * rest. {@code scope} is what the caller's key needs; null on open endpoints.
 */
public record Endpoint(
        Method method,
        String path,
        String summary,
        Access access,
        @Nullable Scope scope,
        Class<?> body,
        int status,
        Class<?> answer,
        int maxBodyBytes,
        List<QueryParam> query,
        Handler handler) {

    public Endpoint {
        query = List.copyOf(query);
    }

    /** Whether its handler mostly computes; all others mostly wait, for a sandbox for example. */
    boolean isComputing() {
        return method == Method.GET || maxBodyBytes == Limits.MAX_UPLOAD_BODY_BYTES;
    }

    public static Builder get(String path) {
        return new Builder(Method.GET, path);
    }

    public static Builder post(String path) {
        return new Builder(Method.POST, path);
    }

    public static Builder put(String path) {
        return new Builder(Method.PUT, path);
    }

    public static Builder patch(String path) {
        return new Builder(Method.PATCH, path);
    }

    public static Builder delete(String path) {
        return new Builder(Method.DELETE, path);
    }

    /**
     * Collects a row; {@link #handledBy} completes it. A key is needed unless it is open. A GET
     * needs the scope {@code read} unless it names another; every other method must name its scope.
     */
    public static final class Builder {
        private final Method method;
        private final String path;
        private final List<QueryParam> query = new ArrayList<>();
        private String summary = "";
        private Access access = Access.KEY;
        private @Nullable Scope scope;
        private Class<?> body = Void.class;
        private int maxBodyBytes = Limits.MAX_BODY_BYTES;
        private int status = 200;
        private Class<?> answer = Void.class;

        private Builder(Method method, String path) {
            this.method = method;
            this.path = path;
        }

        public Builder summary(String text) {
            summary = text;
            return this;
        }

        public Builder open() {
            access = Access.OPEN;
            return this;
        }

        /** What the caller's key needs. */
        public Builder scope(Scope needed) {
            scope = needed;
            return this;
        }

        /** Only for keys of the operator's tenant, {@code default}. */
        public Builder operator() {
            access = Access.OPERATOR;
            return this;
        }

        public Builder takes(Class<?> type) {
            body = type;
            return this;
        }

        public Builder maxBodyBytes(int limit) {
            maxBodyBytes = limit;
            return this;
        }

        /** The type is a JSON schema type: {@code string}, {@code integer}, {@code boolean}. */
        public Builder query(String name, String type, String description) {
            query.add(new QueryParam(name, type, description, List.of()));
            return this;
        }

        /** A string with one of these values. */
        public Builder choice(String name, List<String> values, String description) {
            query.add(new QueryParam(name, "string", description, values));
            return this;
        }

        public Builder answers(int code, Class<?> type) {
            status = code;
            answer = type;
            return this;
        }

        public Endpoint handledBy(Handler handler) {
            if (scope == null && access != Access.OPEN && method == Method.GET) {
                scope = Scope.READ;
            }
            if ((scope == null) != (access == Access.OPEN)) {
                throw new IllegalStateException(
                        "%s %s: name a scope, or make the endpoint open".formatted(method, path));
            }
            return new Endpoint(
                    method,
                    path,
                    summary,
                    access,
                    scope,
                    body,
                    status,
                    answer,
                    maxBodyBytes,
                    query,
                    handler);
        }
    }
}
