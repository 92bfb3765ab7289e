package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ErrorBody;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/** Maps exceptions of handlers to error responses. */
final class ErrorResponses {
    private static final System.Logger LOG = System.getLogger(ErrorResponses.class.getName());

    static ApiException toApiException(Request request, Throwable failure) {
        if (failure instanceof InterruptedException) {
            return new ApiException(
                    ErrorCode.SHUTTING_DOWN, "The server is shutting down; try again in a moment");
        }
        var known = ApiException.from(failure);
        if (known.code() == ErrorCode.INTERNAL) {
            log(request, failure);
        }
        return known;
    }

    /** Does not log the query, which may contain secrets. */
    static void log(Request request, Throwable failure) {
        LOG.log(
                System.Logger.Level.ERROR,
                request.getMethod() + " " + request.getHttpURI().getPath() + " failed",
                failure);
    }

    static ErrorBody body(ApiException error, @Nullable SessionId session) {
        var message = error.message();
        return new ErrorBody(
                message,
                message,
                error.code().name(),
                error.code().httpStatus(),
                session == null ? null : session.value());
    }

    /** Adds the authentication scheme to a 401, and the time of a retry to a 429 or 503. */
    static void addHeaders(Response response, ApiException error) {
        if (error.code() == ErrorCode.UNAUTHORIZED) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"ash\"");
        }
        if (error.code() == ErrorCode.RATE_LIMITED || error.code().httpStatus() == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "5");
        }
    }

    private ErrorResponses() {}
}
