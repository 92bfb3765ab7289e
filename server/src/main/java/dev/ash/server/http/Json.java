package dev.ash.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.Nulls;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import java.io.OutputStream;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.type.LogicalType;

/** Binds JSON to records. Reads strictly, and omits null values when writing. */
public final class Json {
    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(200)
                                    .maxStringLength(256 * 1024 * 1024)
                                    .build())
                    .build();

    public static final JsonMapper MAPPER =
            JsonMapper.builder(FACTORY)
                    .addModule(
                            new SimpleModule()
                                    .addSerializer(RawJson.class, new RawJsonCodec.Writer())
                                    .addDeserializer(RawJson.class, new RawJsonCodec.Reader()))
                    .annotationIntrospector(new RequiredComponents())
                    .addMixIn(Session.class, SessionNulls.class)
                    .addMixIn(SessionApi.Event.class, EventNulls.class)
                    .changeDefaultPropertyInclusion(
                            v -> v.withValueInclusion(JsonInclude.Include.NON_NULL))
                    .changeDefaultNullHandling(v -> v.withContentNulls(Nulls.FAIL))
                    .enable(MapperFeature.INFER_RECORD_GETTERS_FROM_COMPONENTS_ONLY)
                    .disable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS) // read() checks this
                    .withCoercionConfig(
                            LogicalType.Textual,
                            text ->
                                    text.setCoercion(
                                                    CoercionInputShape.Integer, CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.Float, CoercionAction.Fail)
                                            .setCoercion(
                                                    CoercionInputShape.Boolean,
                                                    CoercionAction.Fail))
                    .build();

    /** Fields that are written even if null, as clients of the original Ash server expect. */
    interface SessionNulls {
        @JsonInclude(JsonInclude.Include.ALWAYS)
        @Nullable String runnerId();

        @JsonInclude(JsonInclude.Include.ALWAYS)
        @Nullable String parentSessionId();
    }

    interface EventNulls {
        @JsonInclude(JsonInclude.Include.ALWAYS)
        @Nullable String data();
    }

    /** Returns whether a null value of this component is written as {@code null}. */
    static boolean isWrittenAsNull(RecordComponent component) {
        var mixIn =
                component.getDeclaringRecord() == Session.class
                        ? SessionNulls.class
                        : component.getDeclaringRecord() == SessionApi.Event.class
                                ? EventNulls.class
                                : null;
        return mixIn != null
                && Arrays.stream(mixIn.getDeclaredMethods())
                        .anyMatch(method -> method.getName().equals(component.getName()));
    }

    public static byte[] write(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }

    /** Writes the value incrementally and leaves the stream open. */
    public static void write(OutputStream out, Object value) {
        MAPPER.writer().without(StreamWriteFeature.AUTO_CLOSE_TARGET).writeValue(out, value);
    }

    /** Binds strictly; throws an {@link ApiException} that names the invalid field and the rule. */
    public static <T> T read(byte[] json, Class<T> type) {
        JsonText.check(json);
        try (var parser = MAPPER.createParser(json)) {
            if (parser.nextToken() == null) {
                throw new ApiException(ErrorCode.INVALID_JSON, "The body is blank; expected JSON");
            }
            @Nullable T value = MAPPER.readerFor(type).readValue(parser);
            if (parser.nextToken() != null) {
                throw new ApiException(
                        ErrorCode.INVALID_JSON, "The body must be a single JSON value");
            }
            if (value == null) {
                throw ApiException.invalid("body", "must be an object, was null");
            }
            return value;
        } catch (JacksonException e) {
            throw BindingErrors.toApiException(e, json, type);
        }
    }

    private Json() {}
}
