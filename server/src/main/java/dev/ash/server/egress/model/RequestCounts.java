package dev.ash.server.egress.model;

import java.util.concurrent.atomic.LongAdder;

/** Counts the results of model request checks and repeated calls, for the server's metrics. */
public final class RequestCounts {
    final LongAdder rejected = new LongAdder();
    final LongAdder unknownFields = new LongAdder();
    final LongAdder droppedHeaders = new LongAdder();

    final LongAdder repeated = new LongAdder();
    final LongAdder rateLimited = new LongAdder();

    /** Returns the number of calls that were repeated because a kept connection was closed. */
    public long repeated() {
        return repeated.sum();
    }

    /** Returns the number of repetitions of calls that the API had rejected with 429. */
    public long rateLimited() {
        return rateLimited.sum();
    }

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
