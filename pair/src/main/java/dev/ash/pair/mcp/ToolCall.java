package dev.ash.pair.mcp;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** A request for a tool. The runnables are for when it is over, and if its answer got lost. */
record ToolCall(Tool tool, RawJson arguments, PendingCall call, Runnable over, Runnable lost)
        implements McpRequest {

    @Override
    public boolean mayWait() {
        try {
            return tool.name().equals(ReceiveTool.NAME)
                    && JsonObject.parse(arguments).raw("wait_seconds").isPresent();
        } catch (MalformedJsonException e) {
            return false;
        }
    }

    @Override
    public Optional<byte[]> answer() {
        try {
            var answer = JsonRpc.result(call.id(), result().toJson());
            return call.isCancelled() ? Optional.empty() : Optional.of(answer);
        } catch (RuntimeException e) {
            System.getLogger(ToolCall.class.getName())
                    .log(Level.ERROR, "a call of " + tool.name() + " failed", e);
            return Optional.of(
                    JsonRpc.error(
                            call.id(),
                            JsonRpc.INTERNAL_ERROR,
                            "the tool failed by a fault of its own"));
        } finally {
            over.run();
        }
    }

    private ToolResult result() {
        try {
            return tool.call(arguments, call);
        } catch (ApiException e) {
            return ToolResult.error(tool.failure() + e.message());
        } catch (IOException e) {
            return ToolResult.error(tool.failure() + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ToolResult.error(
                    tool.failure() + "the server is shutting down; try again later");
        }
    }

    @Override
    public void undelivered() {
        lost.run();
    }
}
