package dev.ash.server.http;

import dev.ash.protocol.rest.ErrorBody;
import dev.ash.server.identity.Scope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Generates the OpenAPI 3.1 document of a list of endpoints. */
final class OpenApi {
    private static final Map<String, Object> STRING = Map.of("type", "string");
    private static final Map<String, Object> BINARY =
            Schemas.ordered("type", "string", "format", "binary");

    private static final Map<String, String> PATH_VARIABLES =
            Map.of(
                    "name", "The name of the agent",
                    "id", "The id, as returned by lists",
                    "path", "A relative path; slashes are allowed",
                    "repo", "The id of the repository",
                    "run", "The number or name of the run",
                    "peer", "The name of the peer");
    private static final String AUTHENTICATION =
            "An API key. The first one is in the file `initial-api-key` of the server's data directory, and in"
                    + " `~/.ash/config.json` of the user who ran `ash start`; `ash keys create` creates others.";

    private final OperationDocs docs = OperationDocs.parse(text("operations.md"));
    private final Schemas schemas = new Schemas(handWritten());
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
        var description = description(endpoint);
        if (!description.isEmpty()) {
            operation.put("description", description);
        }
        operation.put("operationId", operationId(endpoint, template));
        operation.put("tags", List.of(tag(endpoint)));
        operation.put("parameters", parameters(endpoint, template));
        if (endpoint.body() != Void.class) {
            operation.put("requestBody", requestBody(endpoint));
        }
        operation.put("responses", responses(endpoint));
        if (endpoint.scope() != null) {
            operation.put("x-ash-scope", endpoint.scope().wire());
        }
        operation.put(
                "security",
                endpoint.access() == Access.OPEN ? List.of() : List.of(Map.of("key", List.of())));
        path(endpoint.path().replace("*}", "}"))
                .put(endpoint.method().name().toLowerCase(Locale.ROOT), operation);
    }

    private String description(Endpoint endpoint) {
        return Stream.of(
                        docs.of(endpoint).map(OperationDocs.Operation::description).orElse(""),
                        endpoint.scope() == null ? "" : needs(endpoint, endpoint.scope()))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("\n\n"));
    }

    private static String needs(Endpoint endpoint, Scope scope) {
        var text = "Needs a key with the scope `%s`".formatted(scope.wire());
        return endpoint.access() == Access.OPERATOR
                ? text + " that belongs to the operator's tenant, `default`."
                : text + ".";
    }

    @SuppressWarnings("unchecked") // all values are added by this statement
    private Map<String, Object> path(String path) {
        return (Map<String, Object>)
                paths.computeIfAbsent(path, _ -> new LinkedHashMap<String, Object>());
    }

    /** Returns an id such as {@code getAgentsByName}, which is stable and readable in clients. */
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
            throw new IllegalArgumentException("Duplicate operation id " + id);
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
            parameters.add(parameter(name, "path", PATH_VARIABLES.getOrDefault(name, ""), STRING));
        }
        for (var query : endpoint.query()) {
            var schema =
                    query.values().isEmpty()
                            ? Map.<String, Object>of("type", query.type())
                            : Schemas.ordered("type", query.type(), "enum", query.values());
            parameters.add(parameter(query.name(), "query", query.description(), schema));
        }
        return parameters;
    }

    private static Map<String, Object> parameter(
            String name, String in, String description, Map<String, Object> schema) {
        var parameter = new LinkedHashMap<String, Object>();
        parameter.put("name", name);
        parameter.put("in", in);
        parameter.put("required", in.equals("path"));
        if (!description.isEmpty()) {
            parameter.put("description", description);
        }
        parameter.put("schema", schema);
        return parameter;
    }

    private Map<String, Object> requestBody(Endpoint endpoint) {
        boolean required =
                !endpoint.body().isRecord()
                        || Stream.of(endpoint.body().getRecordComponents())
                                .anyMatch(RequiredComponents::isRequired);
        var content = new LinkedHashMap<String, Object>();
        content.put("schema", schemas.of(endpoint.body()));
        var examples =
                examples(endpoint, "request", text -> Json.MAPPER.readValue(text, Object.class));
        if (!examples.isEmpty()) {
            content.put("examples", examples);
        }
        return Schemas.ordered(
                "required", required, "content", Map.of("application/json", content));
    }

    private Map<String, Object> examples(
            Endpoint endpoint, String kind, Function<String, Object> value) {
        var examples = new LinkedHashMap<String, Object>();
        docs.of(endpoint).stream()
                .flatMap(operation -> operation.examples(kind).stream())
                .forEach(
                        example ->
                                examples.put(
                                        example.name(),
                                        Schemas.ordered(
                                                "summary",
                                                example.summary(),
                                                "value",
                                                value.apply(example.text()))));
        return examples;
    }

    private Map<String, Object> responses(Endpoint endpoint) {
        var response = new LinkedHashMap<String, Object>();
        response.put("description", endpoint.response() == Void.class ? "Done" : "Success");
        if (endpoint.response() == SseStream.class) {
            var content = StreamSchemas.content(endpoint, schemas);
            var examples = examples(endpoint, "sse", text -> text);
            if (!examples.isEmpty()) {
                content.put("examples", examples);
            }
            response.put("content", Map.of("text/event-stream", content));
        } else if (endpoint.response() == byte[].class) {
            response.put("content", Map.of("application/octet-stream", Map.of("schema", BINARY)));
        } else if (endpoint.response() != Void.class) {
            var content = new LinkedHashMap<>(json(schemas.of(endpoint.response())));
            if (endpoint.query().stream().anyMatch(query -> query.values().contains("raw"))) {
                content.put("application/octet-stream", Map.of("schema", BINARY));
            }
            response.put("content", content);
        }
        var responses = new LinkedHashMap<String, Object>();
        responses.put(Integer.toString(endpoint.status()), response);
        responses.put(
                "default",
                Schemas.ordered(
                        "description", "Error", "content", json(schemas.of(ErrorBody.class))));
        return responses;
    }

    private static Map<String, Object> json(Map<String, Object> schema) {
        return Map.of("application/json", Map.of("schema", schema));
    }

    private Map<String, Object> components() {
        var components = new LinkedHashMap<String, Object>();
        components.put("schemas", schemas.named());
        components.put("securitySchemes", Map.of("key", securityScheme()));
        return components;
    }

    private static Map<String, Object> securityScheme() {
        var scheme = new LinkedHashMap<>(Schemas.ordered("type", "http", "scheme", "bearer"));
        scheme.put("description", AUTHENTICATION);
        return scheme;
    }

    @SuppressWarnings("unchecked") // a test checks that the file is an object
    private static Map<String, Object> handWritten() {
        return Json.MAPPER.readValue(text("schemas.json"), LinkedHashMap.class);
    }

    private static String text(String resource) {
        try (var in = OpenApi.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("Missing resource: " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, Object> info() {
        var version = OpenApi.class.getPackage().getImplementationVersion();
        var info = new LinkedHashMap<String, Object>();
        info.put("title", "Ash");
        info.put("description", docs.introduction());
        info.put("version", version == null ? "development" : version);
        info.put("license", Schemas.ordered("name", "Apache-2.0", "identifier", "Apache-2.0"));
        return info;
    }
}
