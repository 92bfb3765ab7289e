package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.server.memory.ByteBudget;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.processor.ProcessorShares;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Processes a request: checks its origin, finds its endpoint, checks key and scope, calls the
 * handler, and maps exceptions to error responses.
 */
final class Dispatcher extends Handler.Abstract {
    private final Router router;
    private final Guard guard;
    private final Origins origins;

    Dispatcher(Router router, Guard guard, Origins origins) {
        this.router = router;
        this.guard = guard;
        this.origins = origins;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        // A handler may take longer than the idle timeout of the connection.
        request.addIdleTimeoutListener(_ -> false);
        var exchange = new JettyExchange(request, response);
        try {
            serve(request, response, exchange);
            exchange.finish();
            callback.succeeded();
        } catch (Throwable failure) {
            exchange.fail(failure, callback);
        } finally {
            exchange.close();
        }
        return true;
    }

    private void serve(Request request, Response response, JettyExchange exchange)
            throws Exception {
        SecurityHeaders.api(response);
        var uri = request.getHttpURI();
        var origin = request.getHeaders().get(HttpHeader.ORIGIN);
        origins.check(uri.getHost(), uri.getAuthority(), origin)
                .ifPresent(page -> SecurityHeaders.allow(response, page));
        var method = Method.of(request.getMethod()).orElse(null);
        switch (router.find(method, RequestPath.segments(uri.getPath()))) {
            case Router.Found found -> call(found, request, exchange);
            case Router.OtherMethods(var allowed) ->
                    respondOtherMethod(allowed, request, response, exchange);
            case Router.NotFound _ ->
                    throw new ApiException(
                            ErrorCode.ROUTE_NOT_FOUND,
                            "Route %s:%s not found; GET /docs lists every endpoint"
                                    .formatted(request.getMethod(), uri.getPath()));
        }
    }

    private void call(Router.Found found, Request request, JettyExchange exchange)
            throws Exception {
        var endpoint = found.endpoint();
        if (endpoint.access() != Access.OPEN) {
            exchange.authenticated(
                    guard.admit(
                            endpoint,
                            request.getHeaders().get(HttpHeader.AUTHORIZATION),
                            Request.getRemoteAddr(request)));
            var tenant = exchange.caller().tenant().value();
            ProcessorShares.ofProcess().recordActivity(tenant);
            try (var _ = reserveMemory(tenant)) {
                if (endpoint.isComputing()) {
                    ProcessorShares.ofProcess().compute(tenant, () -> handle(found, exchange));
                } else {
                    handle(found, exchange);
                }
            }
        } else {
            handle(found, exchange);
        }
    }

    /** Reserves memory for the request, so that one tenant cannot use up the memory of others. */
    private static ByteBudget.Lease reserveMemory(String tenant) throws InterruptedException {
        return MemoryBudgets.ofProcess()
                .requests()
                .acquire(tenant, MemoryBudgets.REQUEST_BYTES, Duration.ZERO);
    }

    private static boolean handle(Router.Found found, JettyExchange exchange) throws Exception {
        exchange.route(found);
        found.endpoint().handler().handle(exchange);
        return true;
    }

    private static void respondOtherMethod(
            Set<Method> allowed, Request request, Response response, JettyExchange exchange) {
        var names = allowed.stream().map(Method::name).collect(Collectors.joining(", "));
        response.getHeaders().put(HttpHeader.ALLOW, names);
        if (request.getMethod().equals("OPTIONS")) {
            exchange.respond(204);
            return;
        }
        throw new ApiException(
                ErrorCode.METHOD_NOT_ALLOWED,
                "%s is not supported for this path; use %s".formatted(request.getMethod(), names));
    }
}
