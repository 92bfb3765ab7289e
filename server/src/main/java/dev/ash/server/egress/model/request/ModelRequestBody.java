package dev.ash.server.egress.model.request;

import dev.ash.server.egress.model.request.Node.Text;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;

/**
 * The parsed body of a model request and the estimated size of the call. Accepts only bodies that
 * every JSON parser reads the same way: one object in UTF-8 without a byte order mark, without
 * duplicate names at any level, at most {@link #MAX_DEPTH} levels deep.
 */
final class ModelRequestBody {
    static final int MAX_DEPTH = 64;
    private static final int MAX_VALUES = 500_000;

    private static final JsonFactory JSON =
            JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(MAX_DEPTH)
                                    .maxStringLength(RequestCheck.MAX_BYTES)
                                    .maxNameLength(10_000)
                                    .build())
                    .build();

    private final Node.Obj root;
    private final int length;

    private ModelRequestBody(Node.Obj root, int length) {
        this.root = root;
        this.length = length;
    }

    static ModelRequestBody parse(byte[] body) throws RequestRejectedException {
        requireUtf8(body);
        try (var parser = JSON.createParser(ObjectReadContext.empty(), body)) {
            var reader = new Reader(parser);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw RequestRejectedException.malformed("its body must be a JSON object");
            }
            var root = reader.readObject();
            if (parser.nextToken() != null) {
                throw RequestRejectedException.malformed(
                        "its body has content after the JSON object");
            }
            return new ModelRequestBody(root, body.length);
        } catch (StreamConstraintsException e) {
            throw RequestRejectedException.malformed(
                    "its JSON has more than %d levels, or a name or number that is too long"
                            .formatted(MAX_DEPTH));
        } catch (JacksonException e) {
            throw RequestRejectedException.malformed(
                    "its body is not valid JSON, or contains a duplicate name: "
                            + RequestRejectedException.printable(e.getOriginalMessage()));
        }
    }

    /**
     * Rejects zero bytes, from which the parser would detect UTF-16 and UTF-32, and a byte order
     * mark, which it would skip.
     */
    private static void requireUtf8(byte[] body) throws RequestRejectedException {
        if (body.length > 0 && (body[0] & 0xFF) == 0xEF) {
            throw RequestRejectedException.malformed("its body starts with a byte order mark");
        }
        boolean ascii = true;
        for (byte b : body) {
            if (b == 0) {
                throw RequestRejectedException.malformed(
                        "its body contains a zero byte; expected JSON in UTF-8");
            }
            ascii &= b > 0;
        }
        if (ascii) {
            return;
        }
        var decoder =
                StandardCharsets.UTF_8
                        .newDecoder()
                        .onMalformedInput(CodingErrorAction.REPORT)
                        .onUnmappableCharacter(CodingErrorAction.REPORT);
        var in = ByteBuffer.wrap(body);
        var out = CharBuffer.allocate(8192);
        while (true) {
            var result = decoder.decode(in, out, true);
            if (result.isError()) {
                throw RequestRejectedException.malformed("its body is not valid UTF-8");
            }
            if (result.isUnderflow()) {
                return;
            }
            out.clear();
        }
    }

    Node.Obj root() {
        return root;
    }

    CallSize size() {
        return CallEstimate.of(root, length);
    }

    private static boolean hasUnpairedSurrogate(char[] text, int from, int end) {
        for (int i = from; i < end; i++) {
            char c = text[i];
            if (Character.isSurrogate(c)) {
                boolean pair =
                        Character.isHighSurrogate(c)
                                && i + 1 < end
                                && Character.isLowSurrogate(text[i + 1]);
                if (!pair) {
                    return true;
                }
                i++;
            }
        }
        return false;
    }

    /** Builds the tree of JSON values. */
    private static final class Reader {
        private final JsonParser parser;
        private int values;

        private Reader(JsonParser parser) {
            this.parser = parser;
        }

        private Node.Obj readObject() throws RequestRejectedException {
            var fields = new LinkedHashMap<String, Node>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                var name = parser.currentName();
                parser.nextToken();
                fields.put(name, readValue());
            }
            return new Node.Obj(fields);
        }

        private Node.Arr readArray() throws RequestRejectedException {
            var elements = new ArrayList<Node>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                elements.add(readValue());
            }
            return new Node.Arr(elements);
        }

        private Node readValue() throws RequestRejectedException {
            if (++values > MAX_VALUES) {
                throw new RequestRejectedException(
                        413,
                        "Ash rejected the model request: its JSON has more than %,d values"
                                .formatted(MAX_VALUES));
            }
            return switch (parser.currentToken()) {
                case START_OBJECT -> readObject();
                case START_ARRAY -> readArray();
                case VALUE_STRING -> readText();
                case VALUE_TRUE -> Node.TRUE;
                case VALUE_FALSE -> Node.FALSE;
                case VALUE_NULL -> Node.NULL;
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> new Node.Num(parser.getDoubleValue());
                case null, default ->
                        throw RequestRejectedException.malformed("its body ends within the JSON");
            };
        }

        private Text readText() {
            var chars = parser.getStringCharacters();
            int from = parser.getStringOffset();
            int end = from + parser.getStringLength();
            boolean unpaired = hasUnpairedSurrogate(chars, from, end);
            while (from < end && chars[from] <= ' ') {
                from++;
            }
            int length = Math.min(end - from, Text.MAX_KEPT);
            return new Text(
                    new String(chars, from, length),
                    from + length == end,
                    unpaired,
                    parser.getStringLength());
        }
    }
}
