package dev.ash.server.approval;

import dev.ash.server.event.EventLog;
import dev.ash.server.http.Endpoint;
import dev.ash.server.store.Storage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Assembles approvals and their endpoints. */
public final class ApprovalFeature implements AutoCloseable {
    private final Approvals approvals;
    private final ApprovalRoutes routes;

    /** {@code timeToLive}: how long a question stays open; for ever where there is none. */
    public ApprovalFeature(Storage storage, EventLog log, Optional<Duration> timeToLive) {
        var store = new ApprovalStore(storage.database());
        this.approvals = new Approvals(store, log.events(), storage.clock(), timeToLive);
        this.routes = new ApprovalRoutes(approvals, store);
    }

    public Approvals approvals() {
        return approvals;
    }

    public List<Endpoint> endpoints() {
        return routes.endpoints();
    }

    /** Starts to expire questions and to deliver earlier answers. */
    public void start() {
        approvals.start();
    }

    @Override
    public void close() {
        approvals.close();
    }
}
