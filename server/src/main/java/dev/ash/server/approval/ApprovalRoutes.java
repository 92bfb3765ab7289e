package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.identity.Scope;
import java.util.List;

/** The endpoints of approvals. */
public final class ApprovalRoutes {
    private static final String APPROVAL = "/api/approvals/{id}";
    private static final int MAX_LIMIT = 1000;

    private final Approvals approvals;
    private final ApprovalStore store;

    public ApprovalRoutes(Approvals approvals, ApprovalStore store) {
        this.approvals = approvals;
        this.store = store;
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/api/approvals")
                        .summary("List approvals: pending ones oldest first, else newest first")
                        .query("status", "string", "Only approvals in this state")
                        .query("sessionId", "string", "Only approvals of this session")
                        .query("limit", "integer", "At most this many, 1 to 1000 (100)")
                        .query("after", "string", "Begin after the approval with this id")
                        .answers(200, ApprovalApi.Approvals.class)
                        .handledBy(this::list),
                Endpoint.get(APPROVAL)
                        .summary("Show an approval")
                        .answers(200, ApprovalApi.ApprovalAnswer.class)
                        .handledBy(ex -> ex.answer(200, answer(found(ex)))),
                Endpoint.post(APPROVAL)
                        .scope(Scope.APPROVE)
                        .summary("Answer an approval; the first answer counts")
                        .takes(ApprovalApi.Decide.class)
                        .maxBodyBytes(Limits.MAX_MESSAGE_BODY_BYTES)
                        .answers(200, ApprovalApi.ApprovalAnswer.class)
                        .handledBy(this::decide));
    }

    private ApprovalRow found(Exchange exchange) {
        var id = new ApprovalId(exchange.path("id"));
        var row = approvals.require(exchange.caller().tenant(), id);
        exchange.about(row.session());
        return row;
    }

    private static ApprovalApi.ApprovalAnswer answer(ApprovalRow row) {
        return new ApprovalApi.ApprovalAnswer(row.shown());
    }

    private void decide(Exchange exchange) {
        var row = found(exchange);
        var decided =
                approvals.decide(
                        row.tenant(),
                        row.id(),
                        exchange.body(ApprovalApi.Decide.class),
                        DecidedBy.source(exchange.header("X-Ash-Source")));
        exchange.answer(200, new ApprovalApi.ApprovalAnswer(decided));
    }

    private void list(Exchange exchange) {
        var tenant = exchange.caller().tenant();
        var filter =
                new ApprovalStore.Filter(
                        tenant,
                        exchange.query("status").map(ApprovalStatus::ofQuery),
                        exchange.query("sessionId").map(SessionId::new),
                        exchange.query("after")
                                .map(id -> approvals.require(tenant, new ApprovalId(id))),
                        exchange.query("limit").map(ApprovalRoutes::limit).orElse(100));
        exchange.answer(
                200,
                new ApprovalApi.Approvals(
                        store.list(filter).stream().map(ApprovalRow::shown).toList()));
    }

    private static int limit(String text) {
        try {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MAX_LIMIT) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw ApiException.invalid("limit", "must be a whole number from 1 to " + MAX_LIMIT);
    }
}
