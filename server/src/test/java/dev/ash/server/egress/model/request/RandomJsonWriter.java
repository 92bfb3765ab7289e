package dev.ash.server.egress.model.request;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Writes JSON with random spaces, escapes and field order. */
record RandomJsonWriter(Random random) {
    String write(Object value) {
        return switch (value) {
            case Map<?, ?> map -> {
                var names = new ArrayList<Object>(map.keySet());
                Collections.shuffle(names, random);
                var fields =
                        names.stream()
                                .map(
                                        name ->
                                                write(name)
                                                        + randomSpace()
                                                        + ":"
                                                        + write(map.get(name)))
                                .toList();
                yield randomSpace()
                        + "{"
                        + String.join(",", fields)
                        + randomSpace()
                        + "}"
                        + randomSpace();
            }
            case List<?> list ->
                    randomSpace()
                            + "["
                            + String.join(",", list.stream().map(this::write).toList())
                            + "]";
            case String text -> randomSpace() + "\"" + escape(text) + "\"" + randomSpace();
            default -> randomSpace() + value + randomSpace();
        };
    }

    private String randomSpace() {
        return " \n\t\r".substring(0, random.nextInt(8) == 0 ? random.nextInt(5) : 0);
    }

    private String escape(String text) {
        var out = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c < ' '
                    || c == '"'
                    || c == '\\'
                    || Character.isSurrogate(c)
                    || random.nextInt(6) == 0) {
                out.append(
                        random.nextBoolean()
                                ? "\\u%04x".formatted((int) c)
                                : "\\u%04X".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }
}
