package dev.ash.server.http;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Response;

/** Sets the security headers of responses. */
final class SecurityHeaders {
    /** Prevents browsers from running responses as pages, whatever a workspace file contains. */
    static void api(Response response) {
        var headers = response.getHeaders();
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put(
                "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put(HttpHeader.CACHE_CONTROL, "no-store");
    }

    /** Adds CORS headers for an allowed origin. */
    static void allow(Response response, String origin) {
        var headers = response.getHeaders();
        headers.put("Access-Control-Allow-Origin", origin);
        headers.put("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE");
        headers.put(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Ash-Source");
        headers.put("Cross-Origin-Resource-Policy", "cross-origin");
        headers.put(HttpHeader.VARY, "Origin");
    }

    private SecurityHeaders() {}
}
