package dev.ash.server.http;

import dev.ash.protocol.Limits;
import dev.ash.server.identity.Scope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint of the API: its route, request checks, handler and documentation.
 *
 * <p>{@code body} and {@code response} are records; {@code Void.class} means none, and a response
 * can also be {@code SseStream.class} (an event stream) or {@code byte[].class} (arbitrary bytes).
 * Path templates have {@code {name}} for one segment and, at their end, {@code {name*}} for the
 * remaining segments. {@code scope} is the required scope of the caller's key; null on open
 * endpoints.
 */
public record Endpoint(
        Method method,
        String path,
        String summary,
        Access access,
        @Nullable Scope scope,
        Class<?> body,
        int status,
        Class<?> response,
        int maxBodyBytes,
        List<QueryParam> query,
        Handler handler) {

    public Endpoint {
        query = List.copyOf(query);
    }

    /** Whether the handler is CPU-bound; others mostly wait, for example for a sandbox. */
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
     * Builds an endpoint; {@link #handledBy} completes it. It requires a key unless it is open. The
     * default scope of a GET is {@code read}; other methods must specify their scope.
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
        private Class<?> response = Void.class;

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

        /** Sets the required scope of the caller's key. */
        public Builder scope(Scope needed) {
            scope = needed;
            return this;
        }

        /** Admits only keys of the operator's tenant, {@code default}. */
        public Builder operator() {
            access = Access.OPERATOR;
            return this;
        }

        public Builder accepts(Class<?> type) {
            body = type;
            return this;
        }

        public Builder maxBodyBytes(int limit) {
            maxBodyBytes = limit;
            return this;
        }

        /** Adds a query parameter; {@code type} is a JSON schema type such as {@code integer}. */
        public Builder query(String name, String type, String description) {
            query.add(new QueryParam(name, type, description, List.of()));
            return this;
        }

        /** Adds a string parameter with one of these values. */
        public Builder choice(String name, List<String> values, String description) {
            query.add(new QueryParam(name, "string", description, values));
            return this;
        }

        public Builder returns(int code, Class<?> type) {
            status = code;
            response = type;
            return this;
        }

        public Endpoint handledBy(Handler handler) {
            if (scope == null && access != Access.OPEN && method == Method.GET) {
                scope = Scope.READ;
            }
            if ((scope == null) != (access == Access.OPEN)) {
                throw new IllegalStateException(
                        "%s %s: set a scope, or make the endpoint open".formatted(method, path));
            }
            return new Endpoint(
                    method,
                    path,
                    summary,
                    access,
                    scope,
                    body,
                    status,
                    response,
                    maxBodyBytes,
                    query,
                    handler);
        }
    }
}
