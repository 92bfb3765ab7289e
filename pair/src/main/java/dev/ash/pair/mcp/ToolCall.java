package dev.ash.pair.mcp;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Optional;

/** A request that calls a tool, with callbacks for its completion and for a lost response. */
record ToolCall(
        Tool tool, RawJson arguments, PendingCall call, Runnable onComplete, Runnable onLost)
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
    public Optional<byte[]> execute() {
        try {
            var response = JsonRpc.result(call.id(), result().toJson());
            return call.isCancelled() ? Optional.empty() : Optional.of(response);
        } catch (RuntimeException e) {
            System.getLogger(ToolCall.class.getName())
                    .log(Level.ERROR, "Tool " + tool.name() + " failed", e);
            return Optional.of(
                    JsonRpc.error(call.id(), JsonRpc.INTERNAL_ERROR, "Internal error of the tool"));
        } finally {
            onComplete.run();
        }
    }

    private ToolResult result() {
        try {
            return tool.call(arguments, call);
        } catch (ApiException e) {
            return ToolResult.error(tool.errorPrefix() + e.message());
        } catch (IOException e) {
            return ToolResult.error(tool.errorPrefix() + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ToolResult.error(
                    tool.errorPrefix() + "the server is shutting down; try again later");
        }
    }

    @Override
    public void onUndelivered() {
        onLost.run();
    }
}
