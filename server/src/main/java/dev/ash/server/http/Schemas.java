package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.FieldSchema;
import dev.ash.protocol.rest.ResourceLimits;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Generates JSON schemas of records from their components and {@link FieldSchema} annotations; each
 * record is a named schema.
 */
final class Schemas {
    private static final String REFERENCE = "#/components/schemas/";

    private final Map<Class<?>, String> names = new HashMap<>();
    private final Map<String, Object> named = new LinkedHashMap<>();
    private final Map<String, Object> handWritten;

    /** {@code handWritten} has schemas by name that the Java types cannot express. */
    Schemas(Map<String, Object> handWritten) {
        this.handWritten = handWritten;
    }

    /** Returns the schemas of all requested records and of those they contain. */
    Map<String, Object> named() {
        return named;
    }

    Map<String, Object> of(Type type) {
        return switch (type) {
            case ParameterizedType generic -> ofGeneric(generic);
            case Class<?> plain when plain.isRecord() -> Map.of("$ref", REFERENCE + name(plain));
            case Class<?> plain when plain.isEnum() -> ofEnum(plain);
            case Class<?> plain -> ofScalar(plain);
            default -> Map.of();
        };
    }

    private Map<String, Object> ofGeneric(ParameterizedType type) {
        var arguments = type.getActualTypeArguments();
        if (type.getRawType() == List.class) {
            return ordered("type", "array", "items", of(arguments[0]));
        }
        if (type.getRawType() == Map.class) {
            return ordered("type", "object", "additionalProperties", of(arguments[1]));
        }
        throw new IllegalArgumentException("No schema for " + type);
    }

    /** Returns a reference to a handwritten schema, and adds it with the schemas it refers to. */
    Map<String, Object> handWritten(String name) {
        if (!named.containsKey(name)) {
            var schema = handWritten.get(name);
            if (schema == null) {
                throw new IllegalArgumentException("No handwritten schema for " + name);
            }
            named.put(name, schema);
            addReferences(schema);
        }
        return Map.of("$ref", REFERENCE + name);
    }

    private void addReferences(Object schema) {
        switch (schema) {
            case Map<?, ?> map -> {
                if (map.get("$ref") instanceof String reference) {
                    var name = reference.substring(REFERENCE.length());
                    if (handWritten.containsKey(name)) {
                        handWritten(name);
                    } else if (name.equals(ResourceLimits.class.getSimpleName())) {
                        of(ResourceLimits.class);
                    }
                }
                map.values().forEach(this::addReferences);
            }
            case List<?> list -> list.forEach(this::addReferences);
            default -> {}
        }
    }

    private Map<String, Object> of(RecordComponent component) {
        var annotation = component.getAnnotation(FieldSchema.class);
        if (annotation != null && !annotation.ref().isEmpty()) {
            return handWritten(annotation.ref());
        }
        var schema = new LinkedHashMap<>(of(component.getGenericType()));
        var values = annotation == null ? List.<String>of() : values(annotation);
        if (!values.isEmpty()) {
            if (component.getType() == List.class) {
                schema.put("items", ordered("type", "string", "enum", values));
            } else {
                schema.put("enum", values);
            }
        }
        if (Json.isWrittenAsNull(component)) {
            schema.put("type", List.of("string", "null"));
        }
        return schema;
    }

    private static List<String> values(FieldSchema annotation) {
        var values = new ArrayList<>(List.of(annotation.values()));
        for (var type : annotation.of()) {
            for (var constant : type.getEnumConstants()) {
                values.add(wire(constant));
            }
        }
        return values;
    }

    /** Returns the wire name of a constant. */
    private static String wire(Enum<?> constant) {
        try {
            return (String) constant.getDeclaringClass().getMethod("wire").invoke(constant);
        } catch (NoSuchMethodException e) {
            return constant.name();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("wire() of " + constant + " failed", e);
        }
    }

    /** Unlike {@code Map.of}, keeps the order, so that the document is deterministic. */
    static Map<String, Object> ordered(String name1, Object value1, String name2, Object value2) {
        var map = new LinkedHashMap<String, Object>();
        map.put(name1, value1);
        map.put(name2, value2);
        return map;
    }

    private static Map<String, Object> ofEnum(Class<?> type) {
        var values = new ArrayList<String>();
        for (var constant : type.getEnumConstants()) {
            values.add(wire((Enum<?>) constant));
        }
        return ordered("type", "string", "enum", values);
    }

    private static Map<String, Object> ofScalar(Class<?> type) {
        if (type == String.class) {
            return Map.of("type", "string");
        }
        if (type == int.class || type == Integer.class) {
            return ordered("type", "integer", "format", "int32");
        }
        if (type == long.class || type == Long.class) {
            return ordered("type", "integer", "format", "int64");
        }
        if (type == double.class || type == Double.class) {
            return ordered("type", "number", "format", "double");
        }
        if (type == boolean.class || type == Boolean.class) {
            return Map.of("type", "boolean");
        }
        if (type == RawJson.class) {
            return Map.of("description", "Any JSON value");
        }
        throw new IllegalArgumentException("No schema for " + type);
    }

    /** Returns the simple name; a duplicate gets the name of its enclosing type as a prefix. */
    private String name(Class<?> type) {
        var known = names.get(type);
        if (known != null) {
            return known;
        }
        var name = type.getSimpleName();
        var outer = type.getEnclosingClass();
        if (names.containsValue(name) && outer != null) {
            name = outer.getSimpleName().replaceFirst("Api$", "") + name;
        }
        if (names.containsValue(name)) {
            throw new IllegalArgumentException("Duplicate schema name " + name);
        }
        names.put(type, name); // before its components: records can be recursive
        named.put(name, Map.of()); // reserves its position
        named.put(name, ofRecord(type));
        return name;
    }

    private Map<String, Object> ofRecord(Class<?> type) {
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        for (RecordComponent component : type.getRecordComponents()) {
            properties.put(component.getName(), of(component));
            if (RequiredComponents.isRequired(component)) {
                required.add(component.getName());
            }
        }
        var schema = new LinkedHashMap<String, Object>();
        schema.put("type", "object");
        schema.put("properties", properties);
        if (!required.isEmpty()) {
            schema.put("required", required);
        }
        return schema;
    }
}
