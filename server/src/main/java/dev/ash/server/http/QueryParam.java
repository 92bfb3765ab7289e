package dev.ash.server.http;

import java.util.List;

/**
 * The documentation of a query parameter; {@code type} is a JSON schema type, and {@code values}
 * are the allowed values, or empty for any.
 */
public record QueryParam(String name, String type, String description, List<String> values) {
    public QueryParam {
        values = List.copyOf(values);
    }
}
