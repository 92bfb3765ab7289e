package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The status of a question. */
enum ApprovalStatus {
    PENDING,
    APPROVED,
    MODIFIED,
    REJECTED,
    EXPIRED,
    CANCELLED;

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Parses a status given by a client. */
    static ApprovalStatus ofQuery(String wire) {
        return Arrays.stream(values())
                .filter(status -> status.wire().equals(wire))
                .findAny()
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        "status",
                                        Arrays.stream(values())
                                                .map(ApprovalStatus::wire)
                                                .collect(
                                                        Collectors.joining(
                                                                ", ",
                                                                "must be one of ",
                                                                ", was \"" + wire + "\""))));
    }
}
