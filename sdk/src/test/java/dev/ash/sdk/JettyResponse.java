package dev.ash.sdk;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** Parses a response with Jetty, as a reference for the SDK's parser. */
final class JettyResponse implements HttpParser.ResponseHandler {
    private final StringBuilder body = new StringBuilder();
    private int status;
    private boolean complete;
    private boolean failed;

    private JettyResponse() {}

    /** Returns status and body; empty if Jetty rejects the response or finds it truncated. */
    static Optional<String> read(byte[] wire, HttpCompliance compliance) {
        var handler = new JettyResponse();
        var parser = new HttpParser(handler, 128 * 1024, compliance);
        var buffer = ByteBuffer.wrap(wire);
        handler.advance(parser, buffer);
        while (handler.complete && handler.status < 200) {
            handler.complete = false;
            parser.reset();
            handler.advance(parser, buffer);
        }
        if (!handler.complete) {
            parser.atEOF();
            handler.advance(parser, buffer);
        }
        return handler.complete && !handler.failed
                ? Optional.of(handler.status + " " + handler.body)
                : Optional.empty();
    }

    /** Each call consumes at least one byte or ends the message, so the loop is bounded. */
    private void advance(HttpParser parser, ByteBuffer buffer) {
        for (int i = 0; i <= buffer.capacity() + 10 && !complete && !failed; i++) {
            parser.parseNext(buffer);
        }
    }

    @Override
    public void startResponse(HttpVersion version, int code, @Nullable String reason) {
        status = code;
    }

    @Override
    public void parsedHeader(HttpField field) {}

    @Override
    public boolean content(ByteBuffer content) {
        body.append(StandardCharsets.ISO_8859_1.decode(content));
        return false;
    }

    @Override
    public boolean headerComplete() {
        return false;
    }

    @Override
    public boolean contentComplete() {
        return false;
    }

    @Override
    public boolean messageComplete() {
        complete = true;
        return true;
    }

    @Override
    public void earlyEOF() {
        failed = true;
    }

    @Override
    public void badMessage(HttpException failure) {
        failed = true;
    }
}
