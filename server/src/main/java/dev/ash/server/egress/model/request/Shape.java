package dev.ash.server.egress.model.request;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Schema of a JSON value in a model request. The format tables are built from shapes. */
sealed interface Shape {
    /** Any JSON: content that only the model reads, such as text, tool input and schemas. */
    record Free() implements Shape {}

    /** A string, number or boolean, or a list of those, which configures the call. */
    record Plain() implements Shape {}

    /** A list whose elements have this shape. */
    record ListOf(Shape element) implements Shape {}

    /** A string of free text, or a value of another shape. */
    record TextOr(Shape otherwise) implements Shape {}

    /**
     * An object.
     *
     * @param required fields that must be present
     * @param closed whether unlisted fields are rejected, because the name of a field determines
     *     what the provider does
     */
    record Fields(Map<String, Shape> fields, Set<String> required, boolean closed)
            implements Shape {
        Fields requiring(String... names) {
            return new Fields(fields, Set.of(names), closed);
        }

        Fields rejectingOthers() {
            return new Fields(fields, required, true);
        }
    }

    /**
     * An object whose shape depends on the value of one of its fields. A listed value that ends
     * with {@code _*} matches all date suffixes.
     *
     * @param key the name of that field
     * @param ifAbsent the shape of an object without that field
     * @param closed whether unlisted values are rejected; otherwise the object is an unknown value
     */
    record Typed(String key, Map<String, Shape> values, Shape ifAbsent, boolean closed)
            implements Shape {}

    /** A rejected value; null and false count as absent. */
    record Denied(String reason) implements Shape {}

    /** One of these strings. */
    record OneOf(Set<String> values, String reason) implements Shape {}

    /** The value {@code false}. */
    record MustBeFalse(String reason) implements Shape {}

    /** A {@code data:} URL. */
    record DataUrl() implements Shape {}

    /** Base64 or a {@code data:} URL, but no other URL. */
    record Data() implements Shape {}

    /** The name of a model; models that search the web themselves require a grant. */
    record ModelName() implements Shape {}

    /** A value of this shape, if the session may use this tool of the provider. */
    record RequiresGrant(String providerTool, Shape shape) implements Shape {}

    /** A reference to a shape that is set later, for recursive shapes. */
    final class Reference implements Shape {
        private Shape shape = FREE;

        void set(Shape shape) {
            this.shape = shape;
        }

        Shape shape() {
            return shape;
        }
    }

    Free FREE = new Free();
    Plain PLAIN = new Plain();

    /** Creates an object shape from pairs of a name and a shape, as in {@link #map}. */
    static Fields fields(Object... pairs) {
        return new Fields(map(pairs), Set.of(), false);
    }

    /**
     * Creates a map from pairs of a name and a shape; names that share a shape are separated by
     * spaces.
     */
    static Map<String, Shape> map(Object... pairs) {
        var map = new LinkedHashMap<String, Shape>();
        for (int i = 0; i < pairs.length; i += 2) {
            for (var name : ((String) pairs[i]).split(" ", -1)) {
                map.put(name, (Shape) pairs[i + 1]);
            }
        }
        return map;
    }
}
