package dev.ash.server.event;

import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/**
 * The type and subtype of a message and the types of its content blocks, found in one pass over the
 * JSON without building a tree. Of duplicate names the last one counts.
 */
record MessageScan(String type, String subtype, List<String> blocks) {
    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .disable(TokenStreamFactory.Feature.CHARSET_DETECTION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxStringLength(64 * 1024 * 1024)
                                    .maxNestingDepth(500)
                                    .build())
                    .build();

    /** Returns empty if it is not a JSON object. */
    static Optional<MessageScan> of(RawJson data) {
        try (var parser = FACTORY.createParser(ObjectReadContext.empty(), data.toBytes())) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return Optional.empty();
            }
            var type = "";
            var subtype = "";
            List<String> blocks = List.of();
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                var name = parser.currentName();
                parser.nextToken();
                switch (name) {
                    case "type" -> type = text(parser);
                    case "subtype" -> subtype = text(parser);
                    case "message" -> blocks = blocksOfMessage(parser);
                    default -> parser.skipChildren();
                }
            }
            return parser.nextToken() == null
                    ? Optional.of(new MessageScan(type, subtype, blocks))
                    : Optional.empty();
        } catch (JacksonException e) {
            return Optional.empty();
        }
    }

    private static List<String> blocksOfMessage(JsonParser parser) {
        List<String> blocks = List.of();
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            parser.skipChildren();
            return blocks;
        }
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean isContent = parser.currentName().equals("content");
            parser.nextToken();
            if (isContent) {
                blocks = blocksOfContent(parser);
            } else {
                parser.skipChildren();
            }
        }
        return blocks;
    }

    /** Returns no types if the content is a string, or contains anything but objects. */
    private static List<String> blocksOfContent(JsonParser parser) {
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            parser.skipChildren();
            return List.of();
        }
        var blocks = new ArrayList<String>(4);
        boolean onlyObjects = true;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken() == JsonToken.START_OBJECT) {
                blocks.add(typeOfBlock(parser));
            } else {
                onlyObjects = false;
                parser.skipChildren();
            }
        }
        return onlyObjects ? blocks : List.of();
    }

    private static String typeOfBlock(JsonParser parser) {
        var type = "";
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            boolean isType = parser.currentName().equals("type");
            parser.nextToken();
            if (isType) {
                type = text(parser);
            } else {
                parser.skipChildren();
            }
        }
        return type;
    }

    private static String text(JsonParser parser) {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return parser.getString();
        }
        parser.skipChildren();
        return "";
    }
}
