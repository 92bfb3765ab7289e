package dev.ash.server.http;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.ErrorBody;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Rejects plain HTTP requests on a TLS port with an error message instead of a failed handshake.
 */
final class TlsRequired extends Handler.Wrapper {
    private static final String MESSAGE =
            "This port requires TLS: use https:// instead of http://. An API key in this request was sent unencrypted; replace it if others can read this network";

    TlsRequired(Handler handler) {
        super(handler);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (request.isSecure()) {
            return super.handle(request, response, callback);
        }
        var error = new ErrorBody(MESSAGE, MESSAGE, ErrorCode.VALIDATION_FAILED.name(), 400, null);
        var bytes = Json.write(error);
        response.setStatus(400);
        SecurityHeaders.api(response);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json; charset=utf-8");
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        response.write(true, ByteBuffer.wrap(bytes), callback);
        return true;
    }
}
