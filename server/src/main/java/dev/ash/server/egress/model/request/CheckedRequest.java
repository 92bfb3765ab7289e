package dev.ash.server.egress.model.request;

import java.util.List;

/**
 * A request that may be sent.
 *
 * @param unknownFields the paths of fields that no table knows, and that are forwarded all the same
 */
public record CheckedRequest(List<String> unknownFields, CallSize size) {
    public CheckedRequest {
        unknownFields = List.copyOf(unknownFields);
    }
}
