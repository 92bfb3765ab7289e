package dev.ash.server.http;

import dev.ash.protocol.Limits;
import java.util.ArrayList;
import java.util.List;

/**
 * One row of the table that the routes, the request checks and the OpenAPI document come from.
 *
 * <p>{@code body} and {@code answer} are records; {@code Void.class} means none, and an answer may
 * also be {@code SseStream.class} (an event stream) or {@code byte[].class} (bytes of any kind).
 * Path templates have {@code {name}} for one segment and, at their end, {@code {name*}} for the
 * rest.
 */
public record Endpoint(
        Method method,
        String path,
        String summary,
        Access access,
        Class<?> body,
        int status,
        Class<?> answer,
        int maxBodyBytes,
        List<QueryParam> query,
        Handler handler) {

    public Endpoint {
        query = List.copyOf(query);
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

    /** Collects a row; {@link #handledBy} completes it. A key is needed unless it is open. */
    public static final class Builder {
        private final Method method;
        private final String path;
        private final List<QueryParam> query = new ArrayList<>();
        private String summary = "";
        private Access access = Access.KEY;
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
            query.add(new QueryParam(name, type, description));
            return this;
        }

        public Builder answers(int code, Class<?> type) {
            status = code;
            answer = type;
            return this;
        }

        public Endpoint handledBy(Handler handler) {
            return new Endpoint(
                    method,
                    path,
                    summary,
                    access,
                    body,
                    status,
                    answer,
                    maxBodyBytes,
                    query,
                    handler);
        }
    }
}
