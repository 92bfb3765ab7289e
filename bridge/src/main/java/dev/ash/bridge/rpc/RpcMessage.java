package dev.ash.bridge.rpc;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * A request or notification from the peer.
 *
 * @param id the id of a request, unparsed; null for a notification
 * @param params empty if there are none or they are not an object
 * @param line the complete message, unparsed
 */
public record RpcMessage(@Nullable RawJson id, String method, JsonObject params, RawJson line) {}
