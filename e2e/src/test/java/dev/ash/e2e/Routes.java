package dev.ash.e2e;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * Parts of the API in which a client can reference an object: every endpoint, as {@code GET
 * /api/agents/{name}}, and every field and query parameter that may contain an id, as {@code POST
 * /api/sessions#agent}. They are read from the server's OpenAPI document, which is generated from
 * the route table.
 */
record Routes(Set<String> endpoints, Set<String> fields) {
    /** Names of fields that contain an id; others contain text, numbers and paths. */
    private static final Pattern ID_FIELD =
            Pattern.compile(
                    "(?i).*Ids?|name|agents?|.*sessions?|.*credential|worker|reviewer|runs?|peers?|"
                            + "parent.*|turn|to|.*token|after");

    static Routes of(AshServer server) {
        var document = server.api().get("/docs/json").expect(200).json();
        var endpoints = new TreeSet<String>();
        var fields = new TreeSet<String>();
        for (var path : document.path("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                var name = operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey();
                endpoints.add(name);
                for (var parameter : operation.getValue().path("parameters")) {
                    add(fields, name, parameter, "query");
                }
                var schema =
                        operation.getValue().at("/requestBody/content/application~1json/schema");
                resolved(document, schema)
                        .path("properties")
                        .propertyNames()
                        .forEach(field -> add(fields, name, field));
            }
        }
        return new Routes(endpoints, fields);
    }

    private static void add(Set<String> fields, String name, JsonNode parameter, String in) {
        boolean isNumber = parameter.at("/schema/type").asString("").equals("integer");
        if (parameter.path("in").asString("").equals(in) && !isNumber) {
            add(fields, name, parameter.path("name").asString());
        }
    }

    private static void add(Set<String> fields, String name, String field) {
        if (ID_FIELD.matcher(field).matches()) {
            fields.add(name + "#" + field);
        }
    }

    private static JsonNode resolved(JsonNode document, JsonNode schema) {
        var reference = schema.path("$ref").asString("");
        return reference.isEmpty() ? schema : document.at(reference.substring(1));
    }

    /** Returns all endpoints and fields. */
    Set<String> all() {
        var all = new TreeSet<>(endpoints);
        all.addAll(fields);
        return all;
    }
}
