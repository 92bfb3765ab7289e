package dev.ash.server.egress.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/** Parses one message with Jetty, as a reference for the proxy's parsers. */
public final class JettyReader implements HttpParser.RequestHandler, HttpParser.ResponseHandler {
    private static final int MAX_HEAD_BYTES = 128 * 1024;

    private final StringBuilder body = new StringBuilder();
    private String line = "";
    private String host = "";
    private boolean head;
    private int status;
    private boolean complete;
    private boolean early;
    private @Nullable String rejection;

    public static HttpReading request(byte[] wire, HttpCompliance compliance) {
        var handler = new JettyReader();
        HttpParser.RequestHandler requests = handler;
        return handler.read(new HttpParser(requests, MAX_HEAD_BYTES, compliance), wire);
    }

    public static HttpReading response(String method, byte[] wire, HttpCompliance compliance) {
        var handler = new JettyReader();
        HttpParser.ResponseHandler responses = handler;
        var parser = new HttpParser(responses, MAX_HEAD_BYTES, compliance);
        handler.head = method.equals("HEAD");
        parser.setHeadResponse(handler.head);
        return handler.read(parser, wire);
    }

    private HttpReading read(HttpParser parser, byte[] wire) {
        var buffer = ByteBuffer.wrap(wire);
        advance(parser, buffer);
        while (complete && status > 0 && status < 200) {
            complete = false;
            parser.reset();
            parser.setHeadResponse(head);
            advance(parser, buffer);
        }
        if (!complete && rejection == null) {
            parser.atEOF();
            advance(parser, buffer);
        }
        if (rejection != null) {
            return new HttpReading.Rejected(rejection);
        }
        if (!complete || early) {
            return new HttpReading.Incomplete();
        }
        var rest = new byte[buffer.remaining()];
        buffer.get(rest);
        return new HttpReading.Accepted(line, host, body.toString(), HttpReading.text(rest));
    }

    /** Each call consumes at least one byte or ends the message, so the loop is bounded. */
    private void advance(HttpParser parser, ByteBuffer buffer) {
        for (int i = 0; i <= buffer.capacity() + 10 && !complete && rejection == null; i++) {
            parser.parseNext(buffer);
        }
    }

    @Override
    public void startRequest(String method, String uri, @Nullable HttpVersion version) {
        line = method + " " + uri;
    }

    @Override
    public void startResponse(HttpVersion version, int code, @Nullable String reason) {
        status = code;
        line = Integer.toString(code);
    }

    @Override
    public void parsedHeader(HttpField field) {
        if (status == 0 && field.getHeader() == HttpHeader.HOST) {
            host = host.isEmpty() ? field.getValue() : host + " " + field.getValue();
        }
    }

    @Override
    public boolean content(ByteBuffer content) {
        var piece = new byte[content.remaining()];
        content.get(piece);
        body.append(HttpReading.text(piece));
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
        early = true;
        complete = true;
    }

    @Override
    public void badMessage(HttpException failure) {
        rejection = failure.getCode() + " " + failure.getReason();
    }
}
