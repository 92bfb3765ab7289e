package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Compares the router with a naive matcher that tries every template. */
class RouterPropertyTest {
    @Property(tries = 500)
    void findsSameEndpointAsNaiveMatcher(
            @ForAll("tables") Set<String> templates, @ForAll("paths") List<String> path) {
        var distinct = new LinkedHashMap<String, Endpoint>();
        templates.forEach(
                template ->
                        distinct.putIfAbsent(
                                template.replaceAll("\\{[a-z]+", "{"),
                                RouterTest.endpoint(Method.GET, template)));
        var endpoints = List.copyOf(distinct.values());

        var match = new Router(endpoints).find(Method.GET, path);

        assertThat(match instanceof Router.Found found ? found.endpoint().path() : "none")
                .isEqualTo(naive(endpoints, path));
    }

    private static String naive(List<Endpoint> endpoints, List<String> path) {
        return endpoints.stream()
                .map(Endpoint::path)
                .filter(template -> matches(parts(template), path))
                .min(Comparator.comparing(RouterPropertyTest::rank))
                .orElse("none");
    }

    private static boolean matches(List<String> template, List<String> path) {
        for (int i = 0; i < template.size(); i++) {
            if (template.get(i).endsWith("*}")) {
                return i < path.size() && !String.join("/", path.subList(i, path.size())).isEmpty();
            }
            if (i >= path.size()
                    || (template.get(i).startsWith("{")
                            ? path.get(i).isEmpty()
                            : !template.get(i).equals(path.get(i)))) {
                return false;
            }
        }
        return template.size() == path.size();
    }

    /** Sorts literals before variables, and variables before tails, from left to right. */
    private static String rank(String template) {
        return parts(template).stream()
                .map(part -> part.endsWith("*}") ? "3" : part.startsWith("{") ? "2" : "1")
                .collect(Collectors.joining());
    }

    private static List<String> parts(String template) {
        return template.equals("/") ? List.of() : List.of(template.substring(1).split("/"));
    }

    @Provide
    Arbitrary<Set<String>> tables() {
        var part = Arbitraries.of("a", "b", "c", "{v}");
        var tail = Arbitraries.of("", "", "/{rest*}");
        return part.list()
                .ofMaxSize(4)
                .flatMap(parts -> tail.map(end -> template(parts) + end))
                .map(path -> path.isEmpty() ? "/" : path)
                .set()
                .ofMaxSize(12);
    }

    /** Makes variable names unique within a template. */
    private static String template(List<String> parts) {
        var template = new ArrayList<String>();
        for (var part : parts) {
            template.add("/" + part.replace("v", "v" + "x".repeat(template.size())));
        }
        return String.join("", template);
    }

    @Provide
    Arbitrary<List<String>> paths() {
        return Arbitraries.of("a", "b", "c", "d", "").list().ofMaxSize(5);
    }
}
