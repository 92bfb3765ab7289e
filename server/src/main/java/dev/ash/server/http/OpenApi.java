package dev.ash.server.http;

import dev.ash.protocol.rest.ErrorBody;
import dev.ash.server.identity.Scope;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The OpenAPI 3.1 document of a table of endpoints. */
final class OpenApi {
    private static final Map<String, Object> STRING = Map.of("type", "string");
    private static final Map<String, Object> BINARY =
            Schemas.ordered("type", "string", "format", "binary");

    private final Schemas schemas = new Schemas();
    private final Map<String, Object> paths = new LinkedHashMap<>();
    private final TreeSet<String> operationIds = new TreeSet<>();

    static Map<String, Object> document(List<Endpoint> endpoints) {
        return new OpenApi().build(endpoints);
    }

    private Map<String, Object> build(List<Endpoint> endpoints) {
        endpoints.forEach(this::add);
        var document = new LinkedHashMap<String, Object>();
        document.put("openapi", "3.1.0");
        document.put("info", info());
        document.put("servers", List.of(Map.of("url", "/")));
        document.put("tags", tags(endpoints));
        document.put("paths", paths);
        document.put("components", components());
        return document;
    }

    private void add(Endpoint endpoint) {
        var template = PathTemplate.parse(endpoint.path());
        var operation = new LinkedHashMap<String, Object>();
        operation.put("summary", endpoint.summary());
        operation.put("operationId", operationId(endpoint, template));
        operation.put("tags", List.of(tag(endpoint)));
        operation.put("parameters", parameters(endpoint, template));
        if (endpoint.body() != Void.class) {
            operation.put("requestBody", requestBody(endpoint));
        }
        operation.put("responses", responses(endpoint));
        if (endpoint.scope() != null) {
            operation.put("description", needs(endpoint, endpoint.scope()));
            operation.put("x-ash-scope", endpoint.scope().wire());
        }
        operation.put(
                "security",
                endpoint.access() == Access.OPEN ? List.of() : List.of(Map.of("key", List.of())));
        path(endpoint.path().replace("*}", "}"))
                .put(endpoint.method().name().toLowerCase(Locale.ROOT), operation);
    }

    private static String needs(Endpoint endpoint, Scope scope) {
        var text = "Needs a key with the scope `%s`".formatted(scope.wire());
        return endpoint.access() == Access.OPERATOR
                ? text + " that belongs to the operator's tenant, `default`."
                : text + ".";
    }

    @SuppressWarnings("unchecked") // every value of paths is put there by this very line
    private Map<String, Object> path(String path) {
        return (Map<String, Object>)
                paths.computeIfAbsent(path, _ -> new LinkedHashMap<String, Object>());
    }

    /** As in {@code getAgentsByName}: readable in generated clients, and stable. */
    private String operationId(Endpoint endpoint, PathTemplate template) {
        var id = new StringBuilder(endpoint.method().name().toLowerCase(Locale.ROOT));
        for (var part : template.parts()) {
            switch (part) {
                case PathTemplate.Literal(var text) when text.equals("api") -> {}
                case PathTemplate.Literal(var text) -> id.append(capital(text));
                case PathTemplate.Variable(var name) -> id.append("By").append(capital(name));
                case PathTemplate.Tail(var name) -> id.append("By").append(capital(name));
            }
        }
        if (!operationIds.add(id.toString())) {
            throw new IllegalArgumentException("Two endpoints would be the operation " + id);
        }
        return id.toString();
    }

    private static String capital(String text) {
        var joined = new StringBuilder();
        for (var word : text.split("[^A-Za-z0-9]+", -1)) {
            if (!word.isEmpty()) {
                joined.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
            }
        }
        return joined.toString();
    }

    private static String tag(Endpoint endpoint) {
        return Stream.of(endpoint.path().split("/", -1))
                .filter(part -> !part.isEmpty() && !part.equals("api") && !part.startsWith("{"))
                .findFirst()
                .orElse("server");
    }

    private static List<Map<String, Object>> tags(List<Endpoint> endpoints) {
        return endpoints.stream()
                .map(OpenApi::tag)
                .distinct()
                .map(tag -> Map.<String, Object>of("name", tag))
                .toList();
    }

    private static List<Object> parameters(Endpoint endpoint, PathTemplate template) {
        var parameters = new ArrayList<>();
        for (var name : template.variables()) {
            parameters.add(parameter(name, "path", "string", Optional.empty()));
        }
        for (var query : endpoint.query()) {
            parameters.add(
                    parameter(
                            query.name(), "query", query.type(), Optional.of(query.description())));
        }
        return parameters;
    }

    private static Map<String, Object> parameter(
            String name, String in, String type, Optional<String> description) {
        var parameter = new LinkedHashMap<String, Object>();
        parameter.put("name", name);
        parameter.put("in", in);
        parameter.put("required", in.equals("path"));
        description.ifPresent(text -> parameter.put("description", text));
        parameter.put("schema", Map.of("type", type));
        return parameter;
    }

    private Map<String, Object> requestBody(Endpoint endpoint) {
        boolean required =
                !endpoint.body().isRecord()
                        || Stream.of(endpoint.body().getRecordComponents())
                                .anyMatch(RequiredComponents::isRequired);
        return Schemas.ordered("required", required, "content", json(schemas.of(endpoint.body())));
    }

    private Map<String, Object> responses(Endpoint endpoint) {
        var answer = new LinkedHashMap<String, Object>();
        answer.put("description", endpoint.answer() == Void.class ? "Done" : "The answer");
        if (endpoint.answer() == SseStream.class) {
            answer.put("content", Map.of("text/event-stream", Map.of("schema", STRING)));
        } else if (endpoint.answer() == byte[].class) {
            answer.put("content", Map.of("application/octet-stream", Map.of("schema", BINARY)));
        } else if (endpoint.answer() != Void.class) {
            answer.put("content", json(schemas.of(endpoint.answer())));
        }
        var responses = new LinkedHashMap<String, Object>();
        responses.put(Integer.toString(endpoint.status()), answer);
        responses.put(
                "default",
                Schemas.ordered(
                        "description",
                        "What went wrong",
                        "content",
                        json(schemas.of(ErrorBody.class))));
        return responses;
    }

    private static Map<String, Object> json(Map<String, Object> schema) {
        return Map.of("application/json", Map.of("schema", schema));
    }

    private Map<String, Object> components() {
        var components = new LinkedHashMap<String, Object>();
        components.put("schemas", schemas.named());
        components.put(
                "securitySchemes",
                Map.of("key", Schemas.ordered("type", "http", "scheme", "bearer")));
        return components;
    }

    private static Map<String, Object> info() {
        var version = OpenApi.class.getPackage().getImplementationVersion();
        var info = new LinkedHashMap<String, Object>();
        info.put("title", "Ash");
        info.put("description", "A self-hosted server for AI coding agents.");
        info.put("version", version == null ? "development" : version);
        info.put("license", Schemas.ordered("name", "Apache-2.0", "identifier", "Apache-2.0"));
        return info;
    }
}
