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
 * Refuses requests without TLS on a port that speaks TLS, with a sentence instead of a broken
 * handshake.
 */
final class EncryptedOnly extends Handler.Wrapper {
    private static final String SENTENCE =
            "This port speaks TLS: use https:// instead of http://. Whatever key this request carried was sent unencrypted; replace it if others can read this network";

    EncryptedOnly(Handler handler) {
        super(handler);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (request.isSecure()) {
            return super.handle(request, response, callback);
        }
        var error =
                new ErrorBody(SENTENCE, SENTENCE, ErrorCode.VALIDATION_FAILED.name(), 400, null);
        var bytes = Json.write(error);
        response.setStatus(400);
        SecurityHeaders.api(response);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json; charset=utf-8");
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        response.write(true, ByteBuffer.wrap(bytes), callback);
        return true;
    }
}
