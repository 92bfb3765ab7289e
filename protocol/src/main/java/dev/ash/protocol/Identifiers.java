package dev.ash.protocol;

import java.util.regex.Pattern;

/** Validation shared by the identifier types. */
final class Identifiers {
    private static final Pattern UUID =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");

    static String requireUuid(String field, String value) {
        if (!UUID.matcher(value).matches()) {
            throw ApiException.invalid(
                    field,
                    "must be a lower-case UUID such as 550e8400-e29b-41d4-a716-446655440000");
        }
        return value;
    }

    private Identifiers() {}
}
