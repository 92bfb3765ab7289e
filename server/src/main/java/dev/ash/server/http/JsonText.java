package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Rejects text that the JSON parser accepts but that cannot be encoded again: invalid UTF-8, and
 * unpaired surrogates in escapes.
 */
final class JsonText {
    static void check(byte[] text) {
        var bytes = ByteBuffer.wrap(text);
        var decoder = StandardCharsets.UTF_8.newDecoder();
        var scratch = CharBuffer.allocate(8 * 1024);
        while (true) {
            var result = decoder.decode(bytes, scratch.clear(), true);
            if (result.isError()) {
                throw invalid("is not UTF-8 at byte " + bytes.position());
            }
            if (result.isUnderflow()) {
                break;
            }
        }
        checkEscapes(text);
    }

    private static void checkEscapes(byte[] text) {
        boolean high = false;
        for (int i = 0; i < text.length; i++) {
            boolean escape = text[i] == '\\' && i + 1 < text.length;
            int unit = escape && text[i + 1] == 'u' ? unit(text, i + 2) : -1;
            boolean low = unit >= 0xDC00 && unit <= 0xDFFF;
            if (high != low) {
                throw invalid("has an unpaired surrogate in an escape before byte " + i);
            }
            high = unit >= 0xD800 && unit <= 0xDBFF;
            i += unit >= 0 ? 5 : escape ? 1 : 0;
        }
    }

    private static int unit(byte[] text, int from) {
        int unit = 0;
        for (int i = from; i < from + 4; i++) {
            int digit = i < text.length ? Character.digit(text[i], 16) : -1;
            if (digit < 0) {
                return -1; // the parser reports it
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    private static ApiException invalid(String why) {
        return new ApiException(ErrorCode.INVALID_JSON, "The body " + why);
    }

    private JsonText() {}
}
