package dev.ash.server.egress.model.request;

import java.util.List;

/**
 * The result of checking a request that may be forwarded.
 *
 * @param unknownFields the paths of unknown fields, which are forwarded
 */
public record CheckedRequest(List<String> unknownFields, CallSize size) {
    public CheckedRequest {
        unknownFields = List.copyOf(unknownFields);
    }
}
