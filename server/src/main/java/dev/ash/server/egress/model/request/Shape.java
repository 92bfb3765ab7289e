package dev.ash.server.egress.model.request;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What a value in a request may be. The tables of the providers are made of these. */
sealed interface Shape {
    /** Content for the model or for nobody: text, tool input, schemas. It may be any JSON. */
    record Free() implements Shape {}

    /** A string, number or boolean, or a list of those, that configures the call. */
    record Plain() implements Shape {}

    record ListOf(Shape element) implements Shape {}

    /** A string of free text, or else of this shape. */
    record TextOr(Shape otherwise) implements Shape {}

    /**
     * An object.
     *
     * @param required fields that must be there
     */
    record Fields(Map<String, Shape> fields, Set<String> required) implements Shape {
        Fields requiring(String... names) {
            return new Fields(fields, Set.of(names));
        }
    }

    /**
     * An object in which one field decides. A value in the table that ends in {@code _*} stands for
     * all dates.
     *
     * @param key the name of the field
     * @param without for an object that has no such field
     * @param closed whether a value that is not listed is rejected; otherwise it is unknown content
     */
    record Typed(String key, Map<String, Shape> values, Shape without, boolean closed)
            implements Shape {}

    /** RequestRejectedException; null and false count as absent. */
    record Denied(String why) implements Shape {}

    /** One of these strings. */
    record OneOf(Set<String> values, String why) implements Shape {}

    /** Must be false. */
    record MustBeFalse(String why) implements Shape {}

    /** A URL that holds the data itself. */
    record DataUrl() implements Shape {}

    /** A tool that the provider runs; an object of this shape where the session may use it. */
    record Granted(String providerTool, Shape shape) implements Shape {}

    /** A shape of a table that is still being built: for those that contain themselves. */
    final class Later implements Shape {
        private Shape shape = FREE;

        void is(Shape shape) {
            this.shape = shape;
        }

        Shape shape() {
            return shape;
        }
    }

    Free FREE = new Free();
    Plain PLAIN = new Plain();

    /** Pairs of a name and a shape. */
    static Fields fields(Object... pairs) {
        return new Fields(map(pairs), Set.of());
    }

    /** A map of pairs; several names with one shape are divided by spaces. */
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
