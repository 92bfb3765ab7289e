package dev.ash.protocol.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class JsonWriterTest {
    @Property
    void roundTripsAnyText(@ForAll("names") String name, @ForAll("texts") String value)
            throws MalformedJsonException {
        var json = JsonWriter.object().put(name, value).end();

        assertThat(JsonObject.parse(json).string(name)).contains(value);
    }

    @Property
    void roundTripsMapsAndLists(
            @ForAll("maps") Map<String, String> map, @ForAll("lists") List<String> list)
            throws MalformedJsonException {
        var json = JsonWriter.object().put("map", map).put("list", list).end();

        var read = JsonObject.parse(json);
        assertThat(read.stringMap("map")).isEqualTo(map);
        assertThat(read.strings("list")).isEqualTo(list);
    }

    @Property
    void writesOneLineOfUtf8(@ForAll("texts") String text) {
        var bytes = JsonWriter.object().put("text", text).end().toBytes();

        assertThat(bytes).doesNotContain('\n', '\r');
        assertThat(Utf8.isValid(bytes, 0, bytes.length)).isTrue();
    }

    @Example
    void escapesUnpairedSurrogates() {
        assertThat(RawJson.string("a\ud800b\udc00\ud83d\ude80").toString())
                .isEqualTo("\"a\\ud800b\\udc00🚀\"");
    }

    @Example
    void replacesLineBreaksInRawValues() {
        var pretty = RawJson.of("{\r\n\t\"a\": \"x\\ny\"\n}");

        assertThat(JsonWriter.object().put("data", pretty).end().toString())
                .isEqualTo("{\"data\":{  \t\"a\": \"x\\ny\" }}");
    }

    @Example
    void separatesMembersAndElementsWithCommas() {
        var json =
                JsonWriter.object()
                        .put("none", Map.of())
                        .put("list", List.of("a", "b"))
                        .putNull("null")
                        .put("long", Long.MIN_VALUE)
                        .put("double", (Number) 0.5)
                        .put("yes", true)
                        .name("objects")
                        .open('[')
                        .open('{')
                        .put("a", 1)
                        .close('}')
                        .open('{')
                        .close('}')
                        .close(']')
                        .put("raw", RawJson.of("[1, 2]"))
                        .end();

        assertThat(json.toString())
                .isEqualTo(
                        "{\"none\":{},\"list\":[\"a\",\"b\"],\"null\":null,"
                                + "\"long\":-9223372036854775808,\"double\":0.5,\"yes\":true,"
                                + "\"objects\":[{\"a\":1},{}],\"raw\":[1, 2]}");
    }

    @Example
    void omitsAbsentValues() {
        var json =
                JsonWriter.object()
                        .put("text", (String) null)
                        .put("raw", (RawJson) null)
                        .put("number", (Number) null)
                        .end();

        assertThat(json).isEqualTo(RawJson.EMPTY_OBJECT);
    }

    @Example
    void rejectsNonFiniteNumbers() {
        var json = JsonWriter.object();

        assertThatThrownBy(() -> json.put("maxBudgetUsd", (Number) Double.POSITIVE_INFINITY))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> json.put("maxBudgetUsd", (Number) Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Provide
    Arbitrary<String> names() {
        return TextArbitraries.hostile();
    }

    @Provide
    Arbitrary<String> texts() {
        return TextArbitraries.withLoneSurrogates();
    }

    @Provide
    Arbitrary<List<String>> lists() {
        return TextArbitraries.withLoneSurrogates().list().ofMaxSize(5);
    }

    @Provide
    Arbitrary<Map<String, String>> maps() {
        return TextArbitraries.hostile().list().ofMaxSize(5).map(JsonWriterTest::numbered);
    }

    private static Map<String, String> numbered(List<String> values) {
        var map = new LinkedHashMap<String, String>();
        values.forEach(value -> map.put(value + map.size(), value));
        return map;
    }
}
