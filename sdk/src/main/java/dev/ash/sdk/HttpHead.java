package dev.ash.sdk;

import dev.ash.protocol.Excerpt;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The status line and the headers of an answer; header names are in lower case. */
record HttpHead(int status, String reason, Map<String, String> headers) {
    private static final int MAX_BYTES = 64 * 1024;

    static HttpHead read(InputStream in) throws IOException {
        int budget = MAX_BYTES;
        var statusLine = readLine(in, budget);
        budget -= statusLine.length();
        var parts = statusLine.split(" ", 3);
        if (parts.length < 2 || !parts[0].startsWith("HTTP/1.") || !parts[1].matches("\\d{3}")) {
            throw new IOException("not an HTTP answer: " + abbreviated(statusLine));
        }
        var headers = new HashMap<String, String>();
        for (var line = readLine(in, budget); !line.isEmpty(); line = readLine(in, budget)) {
            budget -= line.length();
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).strip().toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        return new HttpHead(Integer.parseInt(parts[1]), parts.length == 3 ? parts[2] : "", headers);
    }

    /** The body that follows this head, however its length is told. */
    InputStream body(InputStream in) throws IOException {
        if (status == 204 || status == 304) {
            return InputStream.nullInputStream();
        }
        if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
            return new ChunkedInputStream(in);
        }
        var length = headers.get("content-length");
        if (length == null) {
            return in; // until the connection ends
        }
        try {
            return new FixedLengthInputStream(in, Long.parseLong(length));
        } catch (NumberFormatException e) {
            throw new IOException("not a content length: " + abbreviated(length), e);
        }
    }

    /** A line without its end; what is longer than {@code budget} is refused. */
    static String readLine(InputStream in, int budget) throws IOException {
        var line = new ByteArrayOutputStream(64);
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("the server closed the connection without an answer");
            }
            line.write(b);
            if (line.size() > budget) {
                throw new IOException("an answer with a head of more than " + MAX_BYTES + " bytes");
            }
        }
        var text = line.toString(StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private static String abbreviated(String text) {
        return Excerpt.of(text, 60);
    }
}
