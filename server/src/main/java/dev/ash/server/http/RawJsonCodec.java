package dev.ash.server.http;

import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.ser.std.StdSerializer;

/** Reads and writes {@link RawJson} components of records without parsing them. */
final class RawJsonCodec {
    static final class Writer extends StdSerializer<RawJson> {
        Writer() {
            super(RawJson.class);
        }

        @Override
        public void serialize(RawJson value, JsonGenerator out, SerializationContext context) {
            out.writeRawValue(value.toString());
        }
    }

    /** Accepts any value and removes whitespace between tokens, so that the result is one line. */
    static final class Reader extends StdDeserializer<RawJson> {
        Reader() {
            super(RawJson.class);
        }

        @Override
        public RawJson deserialize(JsonParser in, DeserializationContext context) {
            var bytes = new ByteArrayOutputStream();
            try (var out = Json.MAPPER.createGenerator(bytes)) {
                copy(in, out);
            }
            return new RawJson(bytes.toByteArray());
        }

        private static void copy(JsonParser in, JsonGenerator out) {
            int depth = 0;
            do {
                var token = in.currentToken();
                switch (token) {
                    // Copy the text: a conversion to double would lose digits.
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> out.writeNumber(in.getString());
                    default -> out.copyCurrentEvent(in);
                }
                depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            } while (depth > 0 && in.nextToken() != null);
        }
    }

    private RawJsonCodec() {}
}
