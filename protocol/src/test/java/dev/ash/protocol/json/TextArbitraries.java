package dev.ash.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Arbitrary strings and JSON texts with many edge cases, for property tests. */
public final class TextArbitraries {
    /** One-byte to four-byte characters, control characters, quotes, line separators. */
    public static Arbitrary<String> hostile() {
        var arbitrary =
                Arbitraries.strings()
                        .all()
                        .ofMaxLength(12)
                        .map(text -> new String(text.getBytes(UTF_8), UTF_8));
        var edgeCases =
                Arbitraries.of(
                        "",
                        "\"",
                        "\\",
                        "\n",
                        "\r\n",
                        "\t",
                        "\0",
                        "\u0007",
                        "\u001f",
                        "\u007f",
                        "é",
                        "\u2028",
                        "\u2029",
                        "\ufeff",
                        "日本語",
                        "👩‍🚀",
                        "\ud83d\ude80",
                        "</script>",
                        "data: x\n\nevent: done\n",
                        "\\u0000",
                        "\uffff");
        return Arbitraries.oneOf(arbitrary, edgeCases)
                .list()
                .ofMaxSize(6)
                .map(TextArbitraries::join);
    }

    /** Also contains unpaired surrogates, which are possible in Java strings but not in UTF-8. */
    public static Arbitrary<String> withLoneSurrogates() {
        var surrogate = Arbitraries.chars().range('\ud800', '\udfff').map(String::valueOf);
        return Arbitraries.oneOf(hostile(), surrogate)
                .list()
                .ofMaxSize(5)
                .map(TextArbitraries::join);
    }

    /** A well-formed JSON value on one line, with arbitrary spaces and escapes. */
    public static Arbitrary<String> json() {
        return Arbitraries.lazyOf(
                TextArbitraries::scalar,
                TextArbitraries::scalar,
                TextArbitraries::scalar,
                TextArbitraries::array,
                TextArbitraries::object);
    }

    /** A well-formed JSON object on one line, with arbitrary spaces and escapes. */
    public static Arbitrary<String> object() {
        var member =
                Combinators.combine(space(), name(), space(), space(), json(), space())
                        .as((a, name, b, c, value, d) -> a + name + b + ":" + c + value + d);
        return member.list().ofMaxSize(4).map(list -> "{" + String.join(",", list) + "}");
    }

    private static Arbitrary<String> array() {
        var element =
                Combinators.combine(space(), json(), space()).as((a, value, b) -> a + value + b);
        return element.list().ofMaxSize(4).map(list -> "[" + String.join(",", list) + "]");
    }

    private static Arbitrary<String> scalar() {
        var literals =
                Arbitraries.of(
                        "null",
                        "true",
                        "false",
                        "0",
                        "-0",
                        "1e3",
                        "-1.5E-7",
                        "0.1",
                        "9007199254740993",
                        "123456789012345678901234567890",
                        "1.00");
        return Arbitraries.oneOf(literals, string());
    }

    /** Without unpaired surrogates: Jackson rejects them in names, also escaped. */
    private static Arbitrary<String> name() {
        return hostile().map(text -> RawJson.string(text).toString());
    }

    private static Arbitrary<String> string() {
        var quoted = hostile().map(text -> RawJson.string(text).toString());
        var escaped = Arbitraries.of("\"\\u00e9\"", "\"\\/\"", "\"\\ud83d\\ude80\"", "\"\\ud800\"");
        return Arbitraries.oneOf(quoted, escaped);
    }

    static Arbitrary<String> space() {
        return Arbitraries.of("", "", " ", "\t", "  ");
    }

    private static String join(List<String> parts) {
        return parts.stream().collect(Collectors.joining());
    }

    private TextArbitraries() {}
}
