package dev.ash.server.http;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.identity.Identity;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.processor.ProcessorShares;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.jspecify.annotations.Nullable;

/** The exchange of a Jetty request. */
final class JettyExchange implements Exchange {
    /** Without a known header constant, Jetty does not omit the header as implied by HTTP/1.1. */
    private static final HttpField KEEP_ALIVE =
            new HttpField((HttpHeader) null, "Connection", "keep-alive");

    static final Map<String, String> JSON =
            Map.of("Content-Type", "application/json; charset=utf-8");

    private final Request request;
    private final Response response;
    private final RequestBody body;
    private final ResponseOutput sink;
    private Router.@Nullable Found found;
    private @Nullable CallerValidity validity;
    private @Nullable Fields query;
    private @Nullable SessionId session;
    private @Nullable OutputStream stream;
    private boolean started;
    private boolean isEventStream;
    private byte @Nullable [] bound; // small bodies only: retained until the request ends
    private @Nullable Class<?> boundAs;

    JettyExchange(Request request, Response response) {
        this.request = request;
        this.response = response;
        this.body = new RequestBody(request, MemoryBudgets.ofProcess().bodies());
        this.sink = new ResponseOutput(response, this::isForbidden);
    }

    void authenticated(CallerValidity caller) {
        validity = caller;
    }

    private boolean isForbidden() {
        return validity != null && validity.hasEnded();
    }

    void route(Router.Found match) {
        found = match;
        body.requireAtMost(match.endpoint().maxBodyBytes());
    }

    @Override
    public Identity caller() {
        return validity().caller();
    }

    private CallerValidity validity() {
        if (validity == null) {
            throw new IllegalStateException("Open endpoints have no caller");
        }
        return validity;
    }

    @Override
    public String path(String variable) {
        var value = found().variables().get(variable);
        if (value == null) {
            throw new IllegalStateException(
                    found().endpoint().path() + " has no variable " + variable);
        }
        return value;
    }

    @Override
    public Optional<String> query(String name) {
        if (query == null) {
            try {
                query = Request.extractQueryParameters(request);
            } catch (RuntimeException e) {
                throw ApiException.invalid("query", "must be UTF-8, percent-encoded");
            }
        }
        return Optional.ofNullable(query.getValue(name));
    }

    @Override
    public Optional<String> header(String name) {
        return Optional.ofNullable(request.getHeaders().get(name));
    }

    @Override
    public <T> T body(Class<T> type) {
        var json = body.readJson(owner(), found().endpoint().maxBodyBytes());
        return json.length <= MemoryBudgets.SMALL_BYTES
                ? bind(json, type)
                : ProcessorShares.ofProcess().compute(owner(), () -> Json.read(json, type));
    }

    private <T> T bind(byte[] json, Class<T> type) {
        var value = Json.read(json, type);
        if (json.length <= MemoryBudgets.SMALL_BYTES) {
            bound = json;
            boundAs = type;
        }
        return value;
    }

    @Override
    public <T> T body(Class<T> type, Spool spool, Set<String> paths) {
        int limit = found().endpoint().maxBodyBytes();
        return bind(body.spoolJson(owner(), limit, spool, paths), type);
    }

    @Override
    public byte[] bodyBytes() {
        return body.read(owner(), found().endpoint().maxBodyBytes());
    }

    @Override
    public void releaseBody() {
        bound = null;
        body.release();
    }

    @Override
    public void setSession(SessionId id) {
        session = id;
    }

    @Override
    public <T> T await(Callable<T> wait) throws Exception {
        var valid = validity();
        valid.beginWait();
        try {
            var result = ProcessorShares.await(wait::call);
            valid.requireValid();
            return result;
        } catch (Exception e) {
            valid.requireValid();
            throw e;
        } finally {
            valid.endWait();
        }
    }

    @Override
    public void respond(int status, Object value) {
        var bytes = Json.write(value);
        respond(status, ByteBuffer.wrap(bytes));
    }

    /** Sends a complete JSON response. */
    void respond(int status, ByteBuffer json) {
        begin(status, JSON);
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, json.remaining());
        send(true, json);
    }

    @Override
    public void respond(int status) {
        begin(status, Map.of());
        send(true, ByteBuffer.allocate(0));
    }

    @Override
    public OutputStream stream(int status, Map<String, String> headers) {
        if (validity != null) {
            validity.observe();
        }
        begin(status, headers);
        var out = new BufferedOutputStream(sink, 16 * 1024);
        stream = out;
        return out;
    }

    @Override
    public OutputStream json(int status) {
        return new JsonResponse(this, status);
    }

    @Override
    public SseStream sse() {
        beginEventStream();
        send(false, ByteBuffer.allocate(0));
        return new SseStream(sink);
    }

    @Override
    public SseStream sse(String event, RawJson data) throws IOException {
        beginEventStream();
        var events = new SseStream(sink);
        events.frame(event, data);
        return events;
    }

    private void beginEventStream() {
        if (request.getMethod().equals("HEAD")) {
            throw new ApiException(
                    ErrorCode.METHOD_NOT_ALLOWED, "HEAD is not supported for event streams");
        }
        if (validity != null) {
            validity.beginWait();
        }
        ProcessorShares.release();
        isEventStream = true;
        begin(200, SseStream.HEADERS);
        if (!request.getHeaders().contains(HttpHeader.CONNECTION, "close")) {
            response.getHeaders().add(KEEP_ALIVE);
        }
        stream = sink;
    }

    /** Releases the resources of the request, which must not be used afterwards. */
    void close() {
        body.release();
    }

    /** Returns the tenant whose memory budget the request uses. */
    private String owner() {
        return validity == null ? "" : validity.caller().tenant().value();
    }

    /** Completes the response. */
    void finish() throws IOException {
        release();
        if (stream != null) {
            stream.close();
        } else if (!started) {
            throw new IllegalStateException("The handler sent no response");
        }
    }

    /** Sends an error response or, if a response was started, aborts it visibly. */
    void fail(Throwable failure, Callback callback) {
        release();
        if (started) {
            if (isEventStream && !sink.isBroken() && isForbidden()) {
                endEventStream(callback);
                return;
            }
            if (!sink.isBroken() && !isForbidden()) {
                ErrorResponses.log(request, failure);
            }
            callback.failed(failure);
            return;
        }
        try {
            var error = withUnknownFields(ErrorResponses.toApiException(request, failure));
            if (body.hasUnread()) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
            ErrorResponses.addHeaders(response, error);
            respond(error.code().httpStatus(), ErrorResponses.body(error, session));
            if (body.hasUnread()) {
                body.discard();
            }
            callback.succeeded();
        } catch (IOException | RuntimeException e) {
            callback.failed(e);
        }
    }

    /** Adds unknown fields to a validation error: a misspelled field name may be its cause. */
    private ApiException withUnknownFields(ApiException error) {
        if (error.code() != ErrorCode.VALIDATION_FAILED || bound == null || boundAs == null) {
            return error;
        }
        var unknown = UnknownFields.messages(bound, boundAs, List.of(), false);
        return unknown.isEmpty()
                ? error
                : new ApiException(error.code(), error.message() + unknown, error);
    }

    /** Ends an event stream with an error frame because the key was revoked or has expired. */
    private void endEventStream(Callback callback) {
        try {
            validity().requireValid();
        } catch (ApiException e) {
            var frame =
                    JsonWriter.object()
                            .put("error", e.message())
                            .put("code", e.code().name())
                            .end();
            try {
                sink.write(true, ByteBuffer.wrap(SseStream.encode("error", frame)));
                callback.succeeded();
            } catch (IOException disconnected) {
                callback.failed(disconnected);
            }
        }
    }

    /** Stops observing the key: nothing else ends this exchange from now on. */
    private void release() {
        if (validity != null) {
            validity.close();
        }
    }

    private Router.Found found() {
        if (found == null) {
            throw new IllegalStateException("The request is not routed yet");
        }
        return found;
    }

    private void begin(int status, Map<String, String> headers) {
        if (started) {
            throw new IllegalStateException("The handler sent two responses");
        }
        started = true;
        response.setStatus(status);
        headers.forEach((name, value) -> response.getHeaders().put(name, value));
    }

    private void send(boolean last, ByteBuffer bytes) {
        try {
            sink.write(last, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
