package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.AgentApi;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    record Everything(
            String text,
            int small,
            @Nullable Long large,
            @Nullable Double real,
            @Nullable Boolean flag,
            @Nullable List<Inner> inner,
            @Nullable Map<String, String> env,
            @Nullable RawJson raw) {}

    record Inner(String name) {}

    record Checked(String name) {
        Checked {
            new AgentName(name);
        }
    }

    @Test
    void bindsAndIgnoresUnknownFields() {
        var json =
                """
                {"text":"a","small":1,"large":3000000000,"real":1.5,"flag":true,"later":[1],
                 "inner":[{"name":"x","new":{}}],"env":{"K":"v"},"raw":{ "b" : [ 1, 2 ] }}
                """;

        assertThat(read(json))
                .isEqualTo(
                        new Everything(
                                "a",
                                1,
                                3_000_000_000L,
                                1.5,
                                true,
                                List.of(new Inner("x")),
                                Map.of("K", "v"),
                                RawJson.of("{\"b\":[1,2]}")));
    }

    @Test
    void acceptsAbsentNullableComponents() {
        assertThat(read("{\"text\":\"\",\"small\":0,\"large\":null}"))
                .isEqualTo(new Everything("", 0, null, null, null, null, null, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{`small`:1}|text: is required",
                "{`text`:null,`small`:1}|text: must not be null",
                "{`text`:`a`,`small`:null}|small: must not be null",
                "{`text`:5,`small`:1}|text: must be a string",
                "{`text`:true,`small`:1}|text: must be a string",
                "{`text`:[`a`],`small`:1}|text: must be a string",
                "{`text`:{},`small`:1}|text: must be a string",
                "{`text`:`a`,`small`:`1`}|small: must be a whole number",
                "{`text`:`a`,`small`:``}|small: must be a whole number",
                "{`text`:`a`,`small`:1.5}|small: must be a whole number",
                "{`text`:`a`,`small`:true}|small: must be a whole number",
                "{`text`:`a`,`small`:99999999999}|small: must be a whole number from -2147483648 to 2147483647",
                "{`text`:`a`,`small`:1,`large`:1e400}|large: must be a whole number",
                "{`text`:`a`,`small`:1,`large`:99999999999999999999}|large: must be a number in the supported range",
                "{`text`:`a`,`small`:1,`real`:`x`}|real: must be a number",
                "{`text`:`a`,`small`:1,`flag`:1}|flag: must be true or false",
                "{`text`:`a`,`small`:1,`flag`:`true`}|flag: must be true or false",
                "{`text`:`a`,`small`:1,`inner`:{}}|inner: must be an array",
                "{`text`:`a`,`small`:1,`inner`:`x`}|inner: must be an array",
                "{`text`:`a`,`small`:1,`inner`:[{`name`:`x`},{}]}|inner[1].name: is required",
                "{`text`:`a`,`small`:1,`inner`:[{`name`:7}]}|inner[0].name: must be a string",
                "{`text`:`a`,`small`:1,`inner`:[null]}|inner[0]: must not be null",
                "{`text`:`a`,`small`:1,`inner`:[`x`]}|inner[0]: must be an object",
                "{`text`:`a`,`small`:1,`env`:[]}|env: must be an object",
                "{`text`:`a`,`small`:1,`env`:{`K`:null}}|env.K: must not be null",
                "{`text`:`a`,`small`:1,`env`:{`K`:1}}|env.K: must be a string",
                "[]|body: must be an object",
                "7|body: must be an object",
                "null|body: must be an object, was null",
            })
    void namesFieldAndRule(String json, String message) {
        assertThat(error(json.replace('`', '"')))
                .satisfies(e -> assertThat(e.message()).isEqualTo(message))
                .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                // the only unknown field whose value fits the missing one
                "{`prompt`:`a`,`small`:1}|text: is required. prompt: unknown field; did you mean text?",
                "{`prompt`:`a`,`small`:1,`stream`:true}|text: is required. prompt: unknown field; did you mean text? stream: unknown field",
                "{`a`:`1`,`b`:`2`,`small`:1}|text: is required. a: unknown field. b: unknown field",
                "{`stream`:true,`small`:1}|text: is required. stream: unknown field",
                // similar names, also of optional fields
                "{`Text`:`a`,`small`:1}|text: is required. Text: unknown field; did you mean text?",
                "{`txet`:`a`,`other`:`b`,`small`:1}|text: is required. txet: unknown field; did you mean text? other: unknown field",
                "{`small`:1,`Large`:5}|text: is required. Large: unknown field; did you mean large?",
                "{`text`:null,`small`:1,`prompt`:`a`}|text: must not be null. prompt: unknown field; did you mean text?",
                // inside lists
                "{`text`:`a`,`small`:1,`inner`:[{`name`:`x`,`y`:[{}]},{`title`:`z`}]}|inner[1].name: is required. title: unknown field; did you mean name?",
                "{`text`:`a`,`small`:1,`extra`:`e`,`inner`:[{}]}|inner[0].name: is required",
                // a name in use is not suggested; the rest of the document may be malformed
                "{`small`:1,`smal`:2}|text: is required. smal: unknown field",
                "{`1`:1,`2`:1,`3`:1,`4`:1,`5`:1,`6`:1,`7`:1,`small`:1}|text: is required. 1: unknown field. 2: unknown field. 3: unknown field. 4: unknown field. 5: unknown field. 2 more unknown fields",
            })
    void namesUnknownFieldsWhenRequiredFieldIsMissing(String json, String message) {
        assertThat(error(json.replace('`', '"')).message()).isEqualTo(message);
    }

    @Test
    void shortensHostileFieldNames() {
        var name = "\\u0007\\u001b[31m" + "x".repeat(40_000);

        var message = error("{\"small\":1,\"" + name + "\":\"a\"}").message();

        assertThat(message).contains("??[31mxxx", "…: unknown field").hasSizeLessThan(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "{\"text\"",
                "{\"text\":\"a",
                "{text:1}",
                "{'text':1}",
                "{\"text\":\"\",\"small\":1} {}",
                "{\"text\":\"\",\"small\":1}x",
                "{\"text\":\"a\",\"text\":\"b\",\"small\":1}",
                "{\"raw\":{\"a\":1,\"a\":2}}",
                "{\"small\":01}",
                "{\"small\":NaN}",
                "{\"text\":\"\\ud83d\"}",
                "{\"text\":\"\\ude00\\ud83d\"}",
                "{\"raw\":[\"\\uD800\"]}",
                "{\"text\":\"line\nbreak\"}",
                "\u0000",
                " ",
            })
    void rejectsInvalidJson(String json) {
        assertThat(error(json).code()).isEqualTo(ErrorCode.INVALID_JSON);
    }

    @Test
    void reportsPositionOfSyntaxError() {
        assertThat(error("{\n  \"text\": oops }").message())
                .startsWith("The body is not valid JSON at line 2, column 11: Unrecognized token");
    }

    @Test
    void rejectsInvalidUtf8() {
        for (var bad :
                List.of(
                        new byte[] {(byte) 0xFF},
                        new byte[] {(byte) 0xC0, (byte) 0xAF},
                        new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
                        new byte[] {(byte) 0xE2, (byte) 0x82})) {
            var json = "{\"text\":\"@\"}".getBytes(StandardCharsets.UTF_8);
            var bytes = new byte[json.length + bad.length - 1];
            System.arraycopy(json, 0, bytes, 0, 9);
            System.arraycopy(bad, 0, bytes, 9, bad.length);
            System.arraycopy(json, 10, bytes, 9 + bad.length, json.length - 10);

            assertThat(error(bytes).message()).isEqualTo("The body is not UTF-8 at byte 9");
        }
    }

    @Test
    void rejectsTooDeepNestingAndTooLongNumbers() {
        assertThat(error("{\"raw\":" + "[".repeat(100_000)).code())
                .isEqualTo(ErrorCode.INVALID_JSON);
        assertThat(error("{\"later\":" + "[".repeat(500) + "]".repeat(500) + "}").code())
                .isEqualTo(ErrorCode.INVALID_JSON);
        assertThat(error("{\"small\":" + "9".repeat(100_000) + "}").code())
                .isEqualTo(ErrorCode.INVALID_JSON);
    }

    @Test
    void reportsErrorsOfRecordConstructors() {
        var error =
                catchThrowableOfType(
                        ApiException.class,
                        () -> Json.read("{\"name\":\"a/b\"}".getBytes(), Checked.class));

        assertThat(error.message()).startsWith("name: must be 1 to 255 characters");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1", "-0", "1.10", "1E5", "1e-7", "12345678901234567890123",
                        "0.1234567890123456789",
                "true", "\"a\\\"\\\\\\n\\u0001\"", "\"é🎉\"", "[]", "{}", "[null,{\"a\":[{}]}]",
                        "false"
            })
    void keepsRawJsonUnchanged(String json) {
        var body = read("{\"text\":\"\",\"small\":1,\"raw\": " + json + " }");

        assertThat(body.raw()).hasToString(json);
        assertThat(new String(Json.write(Map.of("raw", body.raw())), StandardCharsets.UTF_8))
                .isEqualTo("{\"raw\":" + json + "}");
    }

    @Test
    void keepsEscapedSurrogatePairsAsOneCharacter() {
        assertThat(read("{\"text\":\"\\ud83c\\udf89\",\"small\":1}").text()).isEqualTo("🎉");
        assertThat(read("{\"text\":\"\\\\ud83c\",\"small\":1}").text()).isEqualTo("\\ud83c");
    }

    @Test
    void bindsBodiesOfApi() {
        var create = "{\"name\":\"a\",\"files\":[{\"path\":\"CLAUDE.md\",\"content\":\"eA==\"}]}";

        assertThat(Json.read(create.getBytes(), AgentApi.CreateAgent.class).files())
                .containsExactly(new AgentApi.FileUpload("CLAUDE.md", "eA==", null, null));
        assertThat(
                        Json.read("{\"content\":\"hi\"}".getBytes(), SessionApi.SendMessage.class)
                                .content())
                .hasToString("\"hi\"");
        assertThat(Json.read("{}".getBytes(), SessionApi.UpdateConfig.class).model()).isNull();
    }

    @Test
    void writesInRecordOrderAndOmitsMostNulls() {
        var session =
                new Session(
                        "s", "t", "a", "b", "active", null, null, "c", "l", 1, null, null, "m",
                        null, null, null, null, null, null);
        var event = new SessionApi.Event("e", "s", "t", "text", null, 1, "c", 2);

        assertThat(new String(Json.write(session), StandardCharsets.UTF_8))
                .isEqualTo(
                        """
                        {"id":"s","tenantId":"t","agentName":"a","sandboxId":"b","status":"active",\
                        "runnerId":null,"parentSessionId":null,"createdAt":"c","lastActiveAt":"l",\
                        "agentVersion":1,"permissionMode":"m"}""");
        assertThat(new String(Json.write(event), StandardCharsets.UTF_8)).contains("\"data\":null");
    }

    private static Everything read(String json) {
        return Json.read(json.getBytes(StandardCharsets.UTF_8), Everything.class);
    }

    private static ApiException error(String json) {
        return error(json.getBytes(StandardCharsets.UTF_8));
    }

    private static ApiException error(byte[] json) {
        return catchThrowableOfType(ApiException.class, () -> Json.read(json, Everything.class));
    }
}
