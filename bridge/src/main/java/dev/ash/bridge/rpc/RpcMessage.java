package dev.ash.bridge.rpc;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * A request or a notification of the other side.
 *
 * @param id of a request, as it came; null for a notification
 * @param params empty where there are none that are an object
 * @param line all of it, as it came
 */
public record RpcMessage(@Nullable RawJson id, String method, JsonObject params, RawJson line) {}
