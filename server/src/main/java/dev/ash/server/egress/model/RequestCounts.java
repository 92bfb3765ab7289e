package dev.ash.server.egress.model;

import java.util.concurrent.atomic.LongAdder;

/** Counts the results of checks of model requests, for the metrics of the server. */
public final class RequestCounts {
    final LongAdder rejected = new LongAdder();
    final LongAdder unknownFields = new LongAdder();
    final LongAdder droppedHeaders = new LongAdder();

    public long rejected() {
        return rejected.sum();
    }

    /** Fields that are not known and were forwarded. */
    public long unknownFields() {
        return unknownFields.sum();
    }

    /** Headers or beta features that were not forwarded. */
    public long droppedHeaders() {
        return droppedHeaders.sum();
    }
}
