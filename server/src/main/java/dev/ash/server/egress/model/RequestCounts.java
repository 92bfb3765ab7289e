package dev.ash.server.egress.model;

import java.util.concurrent.atomic.LongAdder;

/** Counts the results of model request checks, for the server's metrics. */
public final class RequestCounts {
    final LongAdder rejected = new LongAdder();
    final LongAdder unknownFields = new LongAdder();
    final LongAdder droppedHeaders = new LongAdder();

    public long rejected() {
        return rejected.sum();
    }

    /** Returns the number of unknown fields that were forwarded. */
    public long unknownFields() {
        return unknownFields.sum();
    }

    /** Returns the number of headers that were removed, completely or in part. */
    public long droppedHeaders() {
        return droppedHeaders.sum();
    }
}
