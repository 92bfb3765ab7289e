package dev.ash.cli.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Edits a JSON text in place: the rest of the text keeps its bytes, order and indentation. */
final class JsonDocument {
    private static final JsonFactory FACTORY = new JsonFactory();

    private final String text;
    private final Node root;

    private JsonDocument(String text, Node root) {
        this.text = text;
        this.root = root;
    }

    /** A value and its position; {@code name} and {@code from} are those of its member. */
    record Node(String name, int from, int start, int end, JsonToken token, List<Node> children) {
        boolean isObject() {
            return token == JsonToken.START_OBJECT;
        }

        boolean isArray() {
            return token == JsonToken.START_ARRAY;
        }

        /** Returns the last member of this name, which is the one that parsers use. */
        Optional<Node> member(String expected) {
            return isObject()
                    ? children.reversed().stream()
                            .filter(child -> child.name.equals(expected))
                            .findFirst()
                    : Optional.empty();
        }
    }

    static JsonDocument parse(String text) {
        try (var parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            var first = parser.nextToken();
            if (first == null) {
                throw new IllegalArgumentException("the file is empty");
            }
            var root = read(parser, first, "", at(parser));
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("unexpected content after the end");
            }
            return new JsonDocument(text, root);
        } catch (JacksonException e) {
            throw new IllegalArgumentException(e.getOriginalMessage(), e);
        }
    }

    private static int at(JsonParser parser) {
        return (int) parser.currentTokenLocation().getCharOffset();
    }

    private static Node read(JsonParser parser, JsonToken token, String name, int from) {
        int start = at(parser);
        var children = new ArrayList<Node>();
        if (token == JsonToken.START_OBJECT) {
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                var member = parser.currentName();
                int nameStart = at(parser);
                children.add(read(parser, parser.nextToken(), member, nameStart));
            }
        } else if (token == JsonToken.START_ARRAY) {
            for (var next = parser.nextToken();
                    next != JsonToken.END_ARRAY;
                    next = parser.nextToken()) {
                children.add(read(parser, next, "", at(parser)));
            }
        }
        parser.finishToken();
        int end = (int) parser.currentLocation().getCharOffset();
        return new Node(name, from, start, end, token, children);
    }

    Node root() {
        return root;
    }

    String text() {
        return text;
    }

    String text(Node node) {
        return text.substring(node.start(), node.end());
    }

    /** Appends a member or an element, given as JSON text. */
    JsonDocument append(Node container, String added) {
        if (!container.children().isEmpty()) {
            var last = container.children().getLast();
            var gap = text.substring(lineStart(last.from()), last.from());
            var separator = gap.isBlank() && last.from() > 0 ? "," + newline() + gap : ", ";
            return replace(last.end(), last.end(), separator + added);
        }
        var outer = indentOf(container);
        var inside = newline() + outer + "  " + added + newline() + outer;
        return replace(container.start() + 1, container.end() - 1, inside);
    }

    /** Removes a child and its comma. */
    JsonDocument remove(Node container, Node child) {
        var siblings = container.children();
        int index = siblings.indexOf(child);
        if (siblings.size() == 1) {
            return replace(container.start() + 1, container.end() - 1, "");
        }
        return index == 0
                ? replace(child.from(), siblings.get(1).from(), "")
                : replace(siblings.get(index - 1).end(), child.end(), "");
    }

    private JsonDocument replace(int from, int to, String replacement) {
        return parse(text.substring(0, from) + replacement + text.substring(to));
    }

    private int lineStart(int at) {
        return text.lastIndexOf('\n', at - 1) + 1;
    }

    private String indentOf(Node node) {
        var line = text.substring(lineStart(node.from()), node.from());
        return line.isBlank() ? line : "";
    }

    private String newline() {
        return text.contains("\r\n") ? "\r\n" : "\n";
    }
}
