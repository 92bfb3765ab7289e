package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.util.List;
import java.util.Map;

/** Writes maps, lists and scalars as YAML; strings are JSON strings, which are valid YAML. */
final class Yaml {
    static String write(Map<String, Object> document) {
        var out = new StringBuilder();
        map(document, "", out);
        return out.toString();
    }

    private static void map(Map<?, ?> map, String indent, StringBuilder out) {
        map.forEach(
                (key, value) -> {
                    out.append(indent).append(quoted(String.valueOf(key))).append(':');
                    value(value, indent, out);
                });
    }

    private static void list(List<?> list, String indent, StringBuilder out) {
        for (var value : list) {
            out.append(indent).append('-');
            value(value, indent, out);
        }
    }

    private static void value(Object value, String indent, StringBuilder out) {
        switch (value) {
            case Map<?, ?> map when !map.isEmpty() -> {
                out.append('\n');
                map(map, indent + "  ", out);
            }
            case List<?> list when !list.isEmpty() -> {
                out.append('\n');
                list(list, indent + "  ", out);
            }
            case Map<?, ?> _ -> out.append(" {}\n");
            case List<?> _ -> out.append(" []\n");
            case String text -> out.append(' ').append(quoted(text)).append('\n');
            default -> out.append(' ').append(value).append('\n');
        }
    }

    private static String quoted(String text) {
        return RawJson.string(text).toString();
    }

    private Yaml() {}
}
