package dev.ash.sdk;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.ash.protocol.json.RawJson;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

/**
 * Maps the records of the REST API to and from JSON. Accepts unknown and absent fields, for newer
 * and older servers.
 */
public final class Json {
    private static final Object SOURCE = new Object();

    private static final JsonMapper MAPPER =
            JsonMapper.builder(
                            JsonFactory.builder()
                                    .streamReadConstraints(
                                            StreamReadConstraints.builder()
                                                    .maxStringLength(Integer.MAX_VALUE)
                                                    .build())
                                    .build())
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(RawJson.class, new RawJsonWriter())
                                    .addDeserializer(RawJson.class, new RawJsonReader()))
                    .changeDefaultPropertyInclusion(
                            inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_NULL))
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
                    .build();

    private Json() {}

    /** Writes a record as one line of JSON without its null components. */
    public static RawJson write(Object value) {
        return new RawJson(MAPPER.writeValueAsBytes(value));
    }

    static <T> T read(byte[] json, Class<T> type) throws JacksonException {
        return MAPPER.readerFor(type).withAttribute(SOURCE, json).readValue(json);
    }

    private static final class RawJsonWriter extends ValueSerializer<RawJson> {
        @Override
        public void serialize(RawJson value, JsonGenerator out, SerializationContext context) {
            out.writeRawValue(value.toString());
        }
    }

    /** Returns a slice of the source bytes instead of parsing the value. */
    private static final class RawJsonReader extends ValueDeserializer<RawJson> {
        @Override
        public RawJson deserialize(JsonParser in, DeserializationContext context) {
            var source = (byte[]) context.getAttribute(SOURCE);
            int from = (int) in.currentTokenLocation().getByteOffset();
            in.skipChildren();
            in.finishToken();
            int to = (int) in.currentLocation().getByteOffset();
            return new RawJson(source, from, to - from);
        }
    }
}
