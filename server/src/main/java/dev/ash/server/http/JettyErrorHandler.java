package dev.ash.server.http;

import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.rest.ErrorBody;
import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** Renders errors that Jetty detects itself (malformed HTTP, large headers) as API errors. */
final class JettyErrorHandler extends ErrorHandler {
    private final int maxHeaderBytes;

    JettyErrorHandler(int maxHeaderBytes) {
        this.maxHeaderBytes = maxHeaderBytes;
    }

    @Override
    public boolean errorPageForMethod(String method) {
        return true;
    }

    @Override
    protected void generateResponse(
            Request request,
            Response response,
            int code,
            @Nullable String message,
            @Nullable Throwable cause,
            Callback callback) {
        var text = text(code, message);
        var error = new ErrorBody(text, text, name(code), code, null);
        var bytes = Json.write(error);
        SecurityHeaders.api(response);
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json; charset=utf-8");
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, bytes.length);
        // Jetty closes the connection after these errors: the client must not reuse it.
        response.getHeaders().put(HttpHeader.CONNECTION, "close");
        response.write(true, ByteBuffer.wrap(bytes), callback);
    }

    private String text(int code, @Nullable String message) {
        return switch (code) {
            case 431 ->
                    "The request headers exceed the limit of %d bytes".formatted(maxHeaderBytes);
            case 503 -> "The server is shutting down; try again in a moment";
            default ->
                    code < 500
                            ? "The request is not valid HTTP: " + message
                            : "Internal server error; see the server log for details";
        };
    }

    private static String name(int code) {
        if (code < 500) {
            return ErrorCode.VALIDATION_FAILED.name();
        }
        return (code == 503 ? ErrorCode.SHUTTING_DOWN : ErrorCode.INTERNAL).name();
    }
}
