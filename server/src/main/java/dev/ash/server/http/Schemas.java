package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON schemas of records, by their components; each record is one named schema. */
final class Schemas {
    private final Map<Class<?>, String> names = new HashMap<>();
    private final Map<String, Object> named = new LinkedHashMap<>();

    /** All records that were asked for, and the records in those. */
    Map<String, Object> named() {
        return named;
    }

    Map<String, Object> of(Type type) {
        return switch (type) {
            case ParameterizedType generic -> ofGeneric(generic);
            case Class<?> plain when plain.isRecord() ->
                    Map.of("$ref", "#/components/schemas/" + name(plain));
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

    /** Unlike {@code Map.of}, in the order given: the document is the same at every start. */
    static Map<String, Object> ordered(String name1, Object value1, String name2, Object value2) {
        var map = new LinkedHashMap<String, Object>();
        map.put(name1, value1);
        map.put(name2, value2);
        return map;
    }

    private static Map<String, Object> ofEnum(Class<?> type) {
        var values = new ArrayList<String>();
        for (var constant : type.getEnumConstants()) {
            values.add(((Enum<?>) constant).name());
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

    /** The simple name; where two records share it, the later one takes its interface's before. */
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
            throw new IllegalArgumentException("Two records would be the schema " + name);
        }
        names.put(type, name); // before its components: a record may hold itself
        named.put(name, Map.of()); // its place in the order
        named.put(name, ofRecord(type));
        return name;
    }

    private Map<String, Object> ofRecord(Class<?> type) {
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        for (RecordComponent component : type.getRecordComponents()) {
            properties.put(component.getName(), of(component.getGenericType()));
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
