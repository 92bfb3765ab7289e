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
 * Our side of a talk in JSON-RPC with a child. What it says is handed over in order on the thread
 * that reads it, which must therefore not wait for a call. Lines that are no JSON-RPC are skipped:
 * a library of the child may have printed something. When it ends, calls that wait fail at once.
 */
public final class RpcPeer implements LineProcess.Listener {
    private static final int METHOD_NOT_FOUND = -32601;
    private static final int INVALID_PARAMS = -32602;

    /** Whether messages name the version of the protocol, as the standard has it. */
    public enum Dialect {
        BARE,
        VERSIONED
    }

    /** Who hears the other side. */
    public interface Handler {
        void notification(RpcMessage message) throws MalformedJsonException;

        /** False if the method is not known; else it is answered, now or later. */
        boolean request(RpcMessage message) throws MalformedJsonException;

        /** Comes once, after the last message and after all calls have failed. */
        void ended(LineProcess.Exit exit);
    }

    private final LineProcess process;
    private final Dialect dialect;
    private final Handler handler;

    /** By the id of the call; null once the child has ended. */
    private @Nullable Map<String, CompletableFuture<RawJson>> calls = new HashMap<>();

    private long lastId;

    public RpcPeer(LineProcess process, Dialect dialect, Handler handler) {
        this.process = process;
        this.dialect = dialect;
        this.handler = handler;
    }

    /** Waits for the result. */
    public RawJson call(String method, RawJson params, Duration patience) throws RpcException {
        return begin(method, params).await(patience);
    }

    /** Returns once the request is written: what is written after this call follows it. */
    public Call begin(String method, RawJson params) throws RpcException {
        var answer = new CompletableFuture<RawJson>();
        var id = register(answer);
        process.write(
                head().put("id", RawJson.of(id)).put("method", method).put("params", params).end());
        return new Call(id, method, answer);
    }

    /** A request that is written and not yet answered. */
    public final class Call {
        private final String id;
        private final String method;
        private final CompletableFuture<RawJson> answer;

        private Call(String id, String method, CompletableFuture<RawJson> answer) {
            this.id = id;
            this.method = method;
            this.answer = answer;
        }

        /** To be called once; a result that comes later than this is dropped. */
        public RawJson await(Duration patience) throws RpcException {
            try {
                return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RpcException cause) {
                    throw cause;
                }
                throw new IllegalStateException(e);
            } catch (TimeoutException e) {
                throw new RpcException(
                        Kind.TIMEOUT,
                        "no answer to %s within %d ms".formatted(method, patience.toMillis()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new RpcException(Kind.DISCONNECTED, "the bridge is ending");
            } finally {
                var _ = forget(id);
            }
        }
    }

    private synchronized String register(CompletableFuture<RawJson> answer) throws RpcException {
        if (calls == null) {
            throw new RpcException(Kind.DISCONNECTED, "it has ended");
        }
        var id = Long.toString(++lastId);
        calls.put(id, answer);
        return id;
    }

    private synchronized @Nullable CompletableFuture<RawJson> forget(String id) {
        return calls == null ? null : calls.remove(id);
    }

    public void notify(String method) {
        process.write(head().put("method", method).end());
    }

    public void answer(RawJson id, RawJson result) {
        process.write(head().put("id", id).put("result", result).end());
    }

    public void refuse(RawJson id, int code, String message) {
        var json = head().put("id", id).name("error").open('{');
        process.write(json.put("code", code).put("message", message).close('}').end());
    }

    private JsonWriter head() {
        return JsonWriter.object().put("jsonrpc", dialect == Dialect.VERSIONED ? "2.0" : null);
    }

    @Override
    public void line(RawJson line) {
        try {
            take(line, JsonObject.parse(line));
        } catch (MalformedJsonException e) {
            System.err.println(
                    "bridge: skipped a line of the engine that is no JSON-RPC: " + e.getMessage());
        }
    }

    private void take(RawJson line, JsonObject json) throws MalformedJsonException {
        var id = json.raw("id").orElse(null);
        var method = json.string("method");
        if (method.isPresent()) {
            var params = json.object("params").orElse(JsonObject.parse(RawJson.EMPTY_OBJECT));
            var message = new RpcMessage(id, method.get(), params, line);
            if (id == null) {
                handler.notification(message);
            } else {
                requested(id, message);
            }
        } else if (id != null) {
            answered(id, json);
        } else {
            throw new MalformedJsonException("expected a method or an id");
        }
    }

    /** Every request gets an answer, or the other side would wait for ever. */
    private void requested(RawJson id, RpcMessage message) {
        try {
            if (!handler.request(message)) {
                refuse(id, METHOD_NOT_FOUND, "Ash does not know " + message.method());
            }
        } catch (MalformedJsonException e) {
            refuse(id, INVALID_PARAMS, "Ash expected other parameters: " + e.getMessage());
        }
    }

    private void answered(RawJson id, JsonObject json) throws MalformedJsonException {
        var call = forget(id.toString());
        if (call == null) {
            return; // it came too late
        }
        var error = json.raw("error");
        if (error.isPresent()) {
            call.completeExceptionally(new RpcException(Kind.ERROR_RESPONSE, text(error.get())));
        } else {
            call.complete(json.raw("result").orElse(RawJson.NULL));
        }
    }

    private static String text(RawJson error) {
        try {
            return JsonObject.parse(error).string("message").orElse(error.toString());
        } catch (MalformedJsonException e) {
            return error.toString();
        }
    }

    @Override
    public void ended(LineProcess.Exit exit) {
        List<CompletableFuture<RawJson>> left;
        synchronized (this) {
            left = calls == null ? List.of() : List.copyOf(calls.values());
            calls = null;
        }
        for (var call : left) {
            call.completeExceptionally(new RpcException(Kind.DISCONNECTED, "it " + exit.how()));
        }
        handler.ended(exit);
    }
}
