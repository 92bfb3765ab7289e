package dev.ash.server.egress.http;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The result of parsing the first message of some bytes, for comparison between parsers. */
public sealed interface HttpReading {
    /** {@code line}: method and target, or status; {@code rest}: the bytes after the message. */
    record Accepted(String line, String host, String body, String rest) implements HttpReading {}

    record Rejected(String reason) implements HttpReading {}

    /** The message continues after the last byte. */
    record Incomplete() implements HttpReading {}

    static RequestHead head(byte[] wire) throws IOException {
        return RequestHead.read(new HttpInput(new ByteArrayInputStream(wire)));
    }

    static boolean hasBadTarget(String target) {
        return RequestHead.hasBadTarget(target);
    }

    static HttpReading request(byte[] wire) {
        var in = new HttpInput(new ByteArrayInputStream(wire));
        return read(
                () -> {
                    var head = RequestHead.read(in);
                    var body = Framing.of(head).open(in).readAllBytes();
                    var host = String.join(" ", head.headers().values("host"));
                    var line = head.method() + " " + head.target();
                    return new Accepted(line, host, text(body), text(in.readAllBytes()));
                });
    }

    static HttpReading response(String method, byte[] wire) {
        var in = new HttpInput(new ByteArrayInputStream(wire));
        return read(
                () -> {
                    var head = ResponseHead.read(in);
                    var body = Framing.of(method, head).open(in).readAllBytes();
                    var line = Integer.toString(head.status());
                    return new Accepted(line, "", text(body), text(in.readAllBytes()));
                });
    }

    interface Reader {
        Accepted read() throws IOException;
    }

    /** Other exceptions are defects and fail the test. */
    private static HttpReading read(Reader reader) {
        try {
            return reader.read();
        } catch (BadMessageException e) {
            return new Rejected(String.valueOf(e.getMessage()));
        } catch (EOFException e) {
            return new Incomplete();
        } catch (IOException e) {
            throw new AssertionError("unexpected exception", e);
        }
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
