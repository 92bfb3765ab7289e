package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ErrorBody;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.jspecify.annotations.Nullable;

/** Turns what a handler threw into what its client reads. */
final class Failures {
    private static final System.Logger LOG = System.getLogger(Failures.class.getName());

    static ApiException refusal(Request request, Throwable failure) {
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

    /** Without the query: secrets end up in those. */
    static void log(Request request, Throwable failure) {
        LOG.log(
                System.Logger.Level.ERROR,
                request.getMethod() + " " + request.getHttpURI().getPath() + " failed",
                failure);
    }

    static ErrorBody body(ApiException refusal, @Nullable SessionId session) {
        var sentence = refusal.message();
        return new ErrorBody(
                sentence,
                sentence,
                refusal.code().name(),
                refusal.code().httpStatus(),
                session == null ? null : session.value());
    }

    /** A 401 must say how to identify oneself, and a 429 or 503 when to come back. */
    static void challenge(Response response, ApiException refusal) {
        if (refusal.code() == ErrorCode.UNAUTHORIZED) {
            response.getHeaders().put(HttpHeader.WWW_AUTHENTICATE, "Bearer realm=\"ash\"");
        }
        if (refusal.code() == ErrorCode.RATE_LIMITED || refusal.code().httpStatus() == 503) {
            response.getHeaders().put(HttpHeader.RETRY_AFTER, "5");
        }
    }

    private Failures() {}
}
