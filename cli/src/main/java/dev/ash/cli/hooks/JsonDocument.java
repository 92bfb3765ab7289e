package dev.ash.cli.hooks;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/**
 * The text of a JSON file that somebody else wrote, changed in places: whatever is not changed
 * keeps its bytes, its order and its indentation.
 */
final class JsonDocument {
    private static final JsonFactory FACTORY = new JsonFactory();

    private final String text;
    private final Node root;

    private JsonDocument(String text, Node root) {
        this.text = text;
        this.root = root;
    }

    /** A value and where it stands; {@code name} and {@code from} are those of its member. */
    record Node(String name, int from, int start, int end, JsonToken token, List<Node> children) {
        boolean isObject() {
            return token == JsonToken.START_OBJECT;
        }

        boolean isArray() {
            return token == JsonToken.START_ARRAY;
        }

        /** The last of this name, as programs take it. */
        Optional<Node> member(String wanted) {
            return isObject()
                    ? children.reversed().stream()
                            .filter(child -> child.name.equals(wanted))
                            .findFirst()
                    : Optional.empty();
        }
    }

    static JsonDocument parse(String text) {
        try (var parser = FACTORY.createParser(ObjectReadContext.empty(), text)) {
            var first = parser.nextToken();
            if (first == null) {
                throw new IllegalArgumentException("it is empty");
            }
            var root = read(parser, first, "", at(parser));
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("something follows its end");
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
                int begins = at(parser);
                children.add(read(parser, parser.nextToken(), member, begins));
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

    /** Adds a member or an element, as its JSON text, after the last. */
    JsonDocument append(Node container, String added) {
        if (!container.children().isEmpty()) {
            var last = container.children().getLast();
            var gap = text.substring(lineBegin(last.from()), last.from());
            var separator = gap.isBlank() && last.from() > 0 ? "," + newline() + gap : ", ";
            return replaced(last.end(), last.end(), separator + added);
        }
        var outer = indentOf(container);
        var inside = newline() + outer + "  " + added + newline() + outer;
        return replaced(container.start() + 1, container.end() - 1, inside);
    }

    /** Removes a child and the comma that it needed. */
    JsonDocument remove(Node container, Node child) {
        var siblings = container.children();
        int place = siblings.indexOf(child);
        if (siblings.size() == 1) {
            return replaced(container.start() + 1, container.end() - 1, "");
        }
        return place == 0
                ? replaced(child.from(), siblings.get(1).from(), "")
                : replaced(siblings.get(place - 1).end(), child.end(), "");
    }

    private JsonDocument replaced(int from, int to, String by) {
        return parse(text.substring(0, from) + by + text.substring(to));
    }

    private int lineBegin(int at) {
        return text.lastIndexOf('\n', at - 1) + 1;
    }

    private String indentOf(Node node) {
        var line = text.substring(lineBegin(node.from()), node.from());
        return line.isBlank() ? line : "";
    }

    private String newline() {
        return text.contains("\r\n") ? "\r\n" : "\n";
    }
}
