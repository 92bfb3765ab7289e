package dev.ash.server.http;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the endpoint of a request in a tree of path segments. At each segment, literals take
 * precedence over variables, and variables over tails; the search backtracks.
 */
final class Router {
    sealed interface Match {}

    record Found(Endpoint endpoint, Map<String, String> variables) implements Match {}

    /** The path exists only with other methods. */
    record OtherMethods(Set<Method> allowed) implements Match {}

    record NotFound() implements Match {}

    private record Route(Endpoint endpoint, List<String> variables) {}

    private static final class Node {
        final Map<String, Node> literals = new HashMap<>();
        final Map<Method, Route> routes = new EnumMap<>(Method.class);
        @Nullable Node variable;
        @Nullable Node tail;
    }

    private final Node root = new Node();

    Router(List<Endpoint> endpoints) {
        for (var endpoint : endpoints) {
            var template = PathTemplate.parse(endpoint.path());
            var node = root;
            for (var part : template.parts()) {
                node = child(node, part);
            }
            var route = new Route(endpoint, template.variables());
            var other = node.routes.putIfAbsent(endpoint.method(), route);
            if (other != null) {
                throw new IllegalArgumentException(
                        "Two endpoints have the same route: %s %s and %s"
                                .formatted(
                                        endpoint.method(),
                                        endpoint.path(),
                                        other.endpoint().path()));
            }
        }
    }

    /** A null method stands for a method that no endpoint has. */
    Match find(@Nullable Method method, List<String> segments) {
        var search = new Search(method, segments);
        var route = search.from(root, 0);
        if (route != null) {
            var variables = new HashMap<String, String>();
            for (int i = 0; i < route.variables().size(); i++) {
                variables.put(route.variables().get(i), search.values.get(i));
            }
            return new Found(route.endpoint(), variables);
        }
        return search.allowed.isEmpty() ? new NotFound() : new OtherMethods(search.allowed);
    }

    private static Node child(Node node, PathTemplate.Part part) {
        return switch (part) {
            case PathTemplate.Literal(var text) ->
                    node.literals.computeIfAbsent(text, _ -> new Node());
            case PathTemplate.Variable _ -> {
                var next = node.variable == null ? new Node() : node.variable;
                node.variable = next;
                yield next;
            }
            case PathTemplate.Tail _ -> {
                var next = node.tail == null ? new Node() : node.tail;
                node.tail = next;
                yield next;
            }
        };
    }

    private static final class Search {
        final @Nullable Method method;
        final List<String> segments;
        final List<String> values = new ArrayList<>();
        final Set<Method> allowed = EnumSet.noneOf(Method.class);

        Search(@Nullable Method method, List<String> segments) {
            this.method = method;
            this.segments = segments;
        }

        @Nullable Route from(Node node, int index) {
            if (index == segments.size()) {
                return end(node);
            }
            var segment = segments.get(index);
            var literal = node.literals.get(segment);
            var found = literal == null ? null : from(literal, index + 1);
            if (found == null && node.variable != null && !segment.isEmpty()) {
                found = with(segment, node.variable, index + 1);
            }
            var rest = String.join("/", segments.subList(index, segments.size()));
            if (found == null && node.tail != null && !rest.isEmpty()) {
                found = with(rest, node.tail, segments.size());
            }
            return found;
        }

        private @Nullable Route with(String value, Node next, int index) {
            values.addLast(value);
            var found = from(next, index);
            if (found == null) {
                values.removeLast();
            }
            return found;
        }

        private @Nullable Route end(Node node) {
            allowed.addAll(node.routes.keySet());
            return method == null ? null : node.routes.get(method);
        }
    }
}
