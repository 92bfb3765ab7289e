package dev.ash.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonObjectTest {
    @Property
    void membersAreExactSlices(
            @ForAll("json") String first,
            @ForAll("json") String second,
            @ForAll("space") String space)
            throws MalformedJsonException {
        var text =
                "%s{%s\"a\"%s:%s%s%s,\"b\\u0063\":%s%s}%s"
                        .formatted(space, space, space, space, first, space, second, space, space);

        var object = JsonObject.parse(text);

        assertThat(object.names()).isEqualTo(Set.of("a", "bc"));
        assertThat(object.raw("a").map(RawJson::toString).orElse("null")).isEqualTo(first);
        assertThat(object.raw("bc").map(RawJson::toString).orElse("null")).isEqualTo(second);
    }

    @Property
    void elementsAreExactSlices(@ForAll("jsons") List<String> values, @ForAll("space") String space)
            throws MalformedJsonException {
        var text = space + "[" + space + String.join(space + "," + space, values) + space + "]";

        assertThat(JsonObject.elements(RawJson.of(text)))
                .isEqualTo(values.stream().map(RawJson::of).toList());
    }

    @Property
    void nestedSlicesAreExact(@ForAll("json") String value) throws MalformedJsonException {
        var text = "{\"outer\": {\"é\": 1, \"inner\" : [0, %s ] } }".formatted(value);

        var inner = JsonObject.parse(text).object("outer").orElseThrow().raw("inner").orElseThrow();

        assertThat(JsonObject.elements(inner).get(1)).isEqualTo(RawJson.of(value));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "null",
                "[]",
                "\"x\"",
                "7",
                "{",
                "{\"a\"",
                "{\"a\":",
                "{\"a\":1",
                "{\"a\":1,}",
                "{\"a\":1]",
                "{\"a\" 1}",
                "{a:1}",
                "{'a':1}",
                "{\"a\":01}",
                "{\"a\":.5}",
                "{\"a\":NaN}",
                "{\"a\":tru}",
                "{\"a\":truely}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "{\"a\":{\"b\":}}",
                "{} {}",
                "{}x",
                "{}]",
                "{}\0",
                "/* */{}",
                "\ufeff{}"
            })
    void rejectsTextThatIsNotOneObject(String text) {
        assertThatThrownBy(() -> JsonObject.parse(text)).isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void rejectsOtherEncodings() {
        var text = "{\"ev\":\"message\",\"data\":{}}";

        for (var charset : List.of(UTF_16LE, UTF_16BE)) {
            var line = new RawJson(text.getBytes(charset));
            assertThatThrownBy(() -> JsonObject.parse(line))
                    .isInstanceOf(MalformedJsonException.class);
        }
    }

    @Test
    void limitsNestingDepth() throws MalformedJsonException {
        var deep = "[".repeat(400) + "]".repeat(400);
        var tooDeep = "[".repeat(100_000) + "]".repeat(100_000);

        assertThat(JsonObject.parse("{\"a\":" + deep + "}").raw("a")).contains(RawJson.of(deep));
        assertThatThrownBy(() -> JsonObject.parse("{\"a\":" + tooDeep + "}"))
                .isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void readsLongStrings() throws MalformedJsonException {
        var text = "é".repeat(8_000_000);

        assertThat(JsonObject.parse(JsonWriter.object().put("text", text).end()).string("text"))
                .contains(text);
    }

    @Test
    void usesLastOfDuplicateMembers() throws MalformedJsonException {
        assertThat(JsonObject.parse("{\"a\":1,\"a\":2}").number("a")).hasValue(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"30000", "3e4", "3E+4", "30000.0", "300000e-1"})
    void readsIntegersInAnyNotation(String notation) throws MalformedJsonException {
        var object = JsonObject.parse("{\"n\":" + notation + "}");

        assertThat(object.number("n")).hasValue(30000);
        assertThat(object.integer("n")).hasValue(30000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.5",
                "1e-3",
                "9223372036854775808",
                "1e999999999",
                "1e-999999999",
                "1e99999999999",
                "\"5\"",
                "true",
                "{}",
                "[1]"
            })
    void rejectsOtherValuesAsIntegers(String value) throws MalformedJsonException {
        var object = JsonObject.parse("{\"n\":" + value + "}");

        assertThatThrownBy(() -> object.number("n"))
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("expected an integer n");
    }

    @Test
    void rejectsNumbersAbove32Bits() throws MalformedJsonException {
        var object = JsonObject.parse("{\"big\":2147483648,\"small\":-2147483648}");

        assertThat(object.number("big")).hasValue(2147483648L);
        assertThat(object.integer("small")).hasValue(Integer.MIN_VALUE);
        assertThatThrownBy(() -> object.integer("big")).isInstanceOf(MalformedJsonException.class);
    }

    @Test
    void distinguishesAbsentNullAndOtherTypes() throws MalformedJsonException {
        var object = JsonObject.parse("{\"null\":null,\"one\":1,\"yes\":true,\"o\":{\"x\":\"y\"}}");

        assertThat(object.raw("absent")).isEmpty();
        assertThat(object.raw("null")).isEmpty();
        assertThat(object.number("null")).isEmpty();
        assertThat(object.integer("absent")).isEmpty();
        assertThat(object.string("null")).isEmpty();
        assertThat(object.string("one")).isEmpty();
        assertThat(object.isTrue("yes")).isTrue();
        assertThat(object.isTrue("one")).isFalse();
        assertThat(object.isTrue("absent")).isFalse();
        assertThat(object.object("one")).isEmpty();
        assertThat(object.object("o").orElseThrow().requireString("x")).isEqualTo("y");
        assertThatThrownBy(() -> object.requireString("one")).hasMessage("expected a string one");
        assertThat(object.strings("null")).isEmpty();
        assertThat(object.stringMap("absent")).isEmpty();
    }

    @Test
    void rejectsOtherElementsInStringListsAndMaps() throws MalformedJsonException {
        var object = JsonObject.parse("{\"list\":[\"a\",1],\"map\":{\"a\":null},\"text\":\"x\"}");

        assertThatThrownBy(() -> object.strings("list"))
                .hasMessage("expected only strings in list");
        assertThatThrownBy(() -> object.stringMap("map"))
                .hasMessage("expected only strings in map");
        assertThatThrownBy(() -> object.strings("text")).hasMessage("expected a JSON array");
        assertThatThrownBy(() -> object.stringMap("text")).hasMessage("expected a JSON object");
    }

    @Test
    void readsTextOfStringsWithSpacesAround() throws MalformedJsonException {
        assertThat(JsonObject.text(RawJson.of(" \"a\\nb\" "))).contains("a\nb");
        assertThat(JsonObject.text(RawJson.of("{}"))).isEmpty();
        assertThat(JsonObject.text(RawJson.of("7"))).isEmpty();
        assertThat(JsonObject.text(RawJson.of(""))).isEmpty();
        assertThatThrownBy(() -> JsonObject.text(RawJson.of("\"a\" b")))
                .isInstanceOf(MalformedJsonException.class);
        assertThatThrownBy(() -> JsonObject.text(RawJson.of("\"a")))
                .isInstanceOf(MalformedJsonException.class);
    }

    @Provide
    Arbitrary<String> json() {
        return TextArbitraries.json();
    }

    @Provide
    Arbitrary<List<String>> jsons() {
        return TextArbitraries.json().list().ofMaxSize(6);
    }

    @Provide
    Arbitrary<String> space() {
        return TextArbitraries.space().map(space -> space.isEmpty() ? "" : space + "\r\n");
    }
}
