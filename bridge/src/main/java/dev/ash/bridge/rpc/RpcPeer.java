package dev.ash.bridge.rpc;

import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.rpc.RpcException.Kind;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A JSON-RPC connection to a child process. Messages are dispatched in order by the thread that
 * reads them, which must therefore not wait for a call. Lines that are not JSON-RPC are ignored: a
 * library of the child may have printed something. When the child exits, pending calls fail
 * immediately.
 */
public final class RpcPeer implements LineProcess.Listener {
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INVALID_PARAMS = -32602;

    /** Fields of an error's {@code data} that may contain its reason. */
    private static final List<String> DETAILS = List.of("details", "message", "error");

    /** Whether messages contain the protocol version, as the standard requires. */
    public enum Dialect {
        BARE,
        VERSIONED
    }

    /** Handles messages from the peer. */
    public interface Handler {
        void onNotification(RpcMessage message) throws MalformedJsonException;

        /** Returns false if the method is unknown; otherwise responds, now or later. */
        boolean onRequest(RpcMessage message) throws MalformedJsonException;

        /** Called once, after the last message and after all pending calls have failed. */
        void onExit(LineProcess.Exit exit);
    }

    /**
     * Handles the response to a request in the thread that reads from the peer, so that it is in
     * order with its other messages.
     */
    public interface Reply {
        /** {@code line} is the complete response, unparsed. */
        void onResult(RawJson result, RawJson line);

        /** {@code line} is null if there is no response, because the peer has exited. */
        void onFailure(RpcException failure, @Nullable RawJson line);
    }

    private final LineProcess process;
    private final Dialect dialect;
    private final Handler handler;

    /** Pending calls by id; null once the child has exited. */
    private @Nullable Map<String, Reply> calls = new HashMap<>();

    private long lastId;

    public RpcPeer(LineProcess process, Dialect dialect, Handler handler) {
        this.process = process;
        this.dialect = dialect;
        this.handler = handler;
    }

    /** Sends a request and waits for the result. */
    public RawJson call(String method, RawJson params, Duration timeout) throws RpcException {
        return send(method, params).await(timeout);
    }

    /** Sends a request without waiting; later messages are written after it. */
    public Call send(String method, RawJson params) throws RpcException {
        var result = new CompletableFuture<RawJson>();
        return new Call(send(method, params, completing(result)), method, result);
    }

    /** Sends a request whose response is handled by {@code reply}; returns its id. */
    public String send(String method, RawJson params, Reply reply) throws RpcException {
        var id = register(reply);
        process.write(
                head().put("id", RawJson.of(id)).put("method", method).put("params", params).end());
        return id;
    }

    private static Reply completing(CompletableFuture<RawJson> future) {
        return new Reply() {
            @Override
            public void onResult(RawJson result, RawJson line) {
                future.complete(result);
            }

            @Override
            public void onFailure(RpcException failure, @Nullable RawJson line) {
                future.completeExceptionally(failure);
            }
        };
    }

    /** A pending request. */
    public final class Call {
        private final String id;
        private final String method;
        private final CompletableFuture<RawJson> result;

        private Call(String id, String method, CompletableFuture<RawJson> result) {
            this.id = id;
            this.method = method;
            this.result = result;
        }

        /** Waits for the result; called once. A later result is dropped. */
        public RawJson await(Duration timeout) throws RpcException {
            try {
                return result.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RpcException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e);
            } catch (TimeoutException e) {
                throw new RpcException(
                        Kind.TIMEOUT,
                        "no response to %s within %d ms".formatted(method, timeout.toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RpcException(Kind.DISCONNECTED, "the bridge is shutting down");
            } finally {
                var _ = removeCall(id);
            }
        }
    }

    private synchronized String register(Reply reply) throws RpcException {
        if (calls == null) {
            throw new RpcException(Kind.DISCONNECTED, "it has exited");
        }
        var id = Long.toString(++lastId);
        calls.put(id, reply);
        return id;
    }

    private synchronized @Nullable Reply removeCall(String id) {
        return calls == null ? null : calls.remove(id);
    }

    public void notify(String method) {
        process.write(head().put("method", method).end());
    }

    public void notify(String method, RawJson params) {
        process.write(head().put("method", method).put("params", params).end());
    }

    public void sendResult(RawJson id, RawJson result) {
        process.write(head().put("id", id).put("result", result).end());
    }

    public void sendError(RawJson id, int code, String message) {
        var json = head().put("id", id).name("error").open('{');
        process.write(json.put("code", code).put("message", message).close('}').end());
    }

    private JsonWriter head() {
        return JsonWriter.object().put("jsonrpc", dialect == Dialect.VERSIONED ? "2.0" : null);
    }

    @Override
    public void onLine(RawJson line) {
        try {
            dispatch(line, JsonObject.parse(line));
        } catch (MalformedJsonException e) {
            System.err.println(
                    "bridge: ignored output of the engine that is not JSON-RPC: " + e.getMessage());
        }
    }

    private void dispatch(RawJson line, JsonObject json) throws MalformedJsonException {
        var id = json.raw("id").orElse(null);
        var method = json.string("method");
        if (method.isPresent()) {
            var params = json.object("params").orElse(JsonObject.parse(RawJson.EMPTY_OBJECT));
            var message = new RpcMessage(id, method.get(), params, line);
            if (id == null) {
                handler.onNotification(message);
            } else {
                handleRequest(id, message);
            }
        } else if (id != null) {
            handleResponse(id, json, line);
        } else {
            throw new MalformedJsonException("expected a method or an id");
        }
    }

    /** Responds to every request, because the peer waits for a response without a timeout. */
    private void handleRequest(RawJson id, RpcMessage message) {
        try {
            if (!handler.onRequest(message)) {
                sendError(id, METHOD_NOT_FOUND, "Ash does not support " + message.method());
            }
        } catch (MalformedJsonException e) {
            sendError(id, INVALID_PARAMS, "Invalid parameters: " + e.getMessage());
        }
    }

    private void handleResponse(RawJson id, JsonObject json, RawJson line) {
        var call = removeCall(id.toString());
        if (call == null) {
            return; // the call has timed out, or the peer has responded before
        }
        var error = json.raw("error");
        if (error.isPresent()) {
            call.onFailure(failure(error.get()), line);
        } else {
            call.onResult(json.raw("result").orElse(RawJson.NULL), line);
        }
    }

    private static RpcException failure(RawJson error) {
        try {
            var json = JsonObject.parse(error);
            return new RpcException(
                    Kind.ERROR_RESPONSE,
                    json.number("code").orElse(0),
                    withDetails(json.string("message").orElse(error.toString()), json));
        } catch (MalformedJsonException e) {
            return new RpcException(Kind.ERROR_RESPONSE, error.toString());
        }
    }

    /** Appends the text in {@code data}, which often has the actual reason. */
    private static String withDetails(String message, JsonObject error)
            throws MalformedJsonException {
        var details = error.string("data").orElse("");
        var data = error.object("data");
        if (data.isPresent()) {
            for (var name : DETAILS) {
                details = details.isEmpty() ? data.get().string(name).orElse("") : details;
            }
        }
        return details.isEmpty() || message.contains(details) ? message : message + ": " + details;
    }

    @Override
    public void onExit(LineProcess.Exit exit) {
        List<Reply> pending;
        synchronized (this) {
            pending = calls == null ? List.of() : List.copyOf(calls.values());
            calls = null;
        }
        for (var call : pending) {
            call.onFailure(new RpcException(Kind.DISCONNECTED, "it " + exit.description()), null);
        }
        handler.onExit(exit);
    }
}
