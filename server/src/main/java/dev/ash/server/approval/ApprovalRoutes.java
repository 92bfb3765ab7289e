package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.http.Endpoint;
import dev.ash.server.http.Exchange;
import dev.ash.server.http.JsonList;
import dev.ash.server.identity.Scope;
import dev.ash.server.memory.MemoryBudgets;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The endpoints of approvals. */
public final class ApprovalRoutes {
    private static final String APPROVAL = "/api/approvals/{id}";
    private static final int MAX_LIMIT = 1000;

    private final ApprovalAnswers answers;
    private final ApprovalListStore lists;

    ApprovalRoutes(ApprovalAnswers answers, ApprovalStore store) {
        this.answers = answers;
        this.lists = store.lists();
    }

    public List<Endpoint> endpoints() {
        return List.of(
                Endpoint.get("/api/approvals")
                        .summary("List approvals: pending ones oldest first, else newest first")
                        .choice(
                                "status",
                                Stream.of(ApprovalStatus.values())
                                        .map(ApprovalStatus::wire)
                                        .toList(),
                                "Only approvals in this state")
                        .query("sessionId", "string", "Only approvals of this session")
                        .query("limit", "integer", "Maximum number of approvals, 1 to 1000 (100)")
                        .query("after", "string", "Start after the approval with this id")
                        .returns(200, ApprovalApi.Approvals.class)
                        .handledBy(this::list),
                Endpoint.get(APPROVAL)
                        .summary("Show an approval")
                        .returns(200, ApprovalApi.ApprovalResponse.class)
                        .handledBy(ex -> ex.respond(200, answer(requireRow(ex)))),
                Endpoint.post(APPROVAL)
                        .scope(Scope.APPROVE)
                        .summary("Answer an approval; the first answer counts")
                        .accepts(ApprovalApi.Decide.class)
                        .maxBodyBytes(Limits.MAX_MESSAGE_BODY_BYTES)
                        .returns(200, ApprovalApi.ApprovalResponse.class)
                        .handledBy(this::decide));
    }

    private ApprovalRow requireRow(Exchange exchange) {
        var id = new ApprovalId(exchange.path("id"));
        var row = answers.require(exchange.caller().tenant(), id);
        exchange.setSession(row.session());
        return row;
    }

    private static ApprovalApi.ApprovalResponse answer(ApprovalRow row) {
        return new ApprovalApi.ApprovalResponse(row.toApi());
    }

    private void decide(Exchange exchange) {
        var row = requireRow(exchange);
        var decided =
                answers.decide(
                        row.tenant(),
                        row.id(),
                        exchange.body(ApprovalApi.Decide.class),
                        DecidedBy.fromHeader(exchange.header("X-Ash-Source")));
        exchange.respond(200, new ApprovalApi.ApprovalResponse(decided));
    }

    private void list(Exchange exchange) throws IOException, InterruptedException {
        var tenant = exchange.caller().tenant();
        var filter =
                new ApprovalListStore.Filter(
                        tenant,
                        exchange.query("status").map(ApprovalStatus::ofQuery),
                        exchange.query("sessionId").map(SessionId::new),
                        exchange.query("after")
                                .map(id -> answers.require(tenant, new ApprovalId(id))),
                        exchange.query("limit").map(ApprovalRoutes::limit).orElse(100));
        var list = new JsonList(exchange, "approvals");
        var next = Optional.of(filter);
        while (next.isPresent()) {
            next = add(next.get(), list);
        }
        list.end();
    }

    /** Adds several small rows or one large row; returns the filter for the remaining rows. */
    private Optional<ApprovalListStore.Filter> add(ApprovalListStore.Filter filter, JsonList list)
            throws IOException, InterruptedException {
        var page = lists.page(filter, MemoryBudgets.SMALL_BYTES);
        if (page.tooLarge() == 0) {
            return add(page, filter, list);
        }
        long needed = page.tooLarge() * MemoryBudgets.READ_COPIES;
        var budget = MemoryBudgets.ofProcess().reads();
        try (var _ = budget.acquire(filter.tenant().value(), needed, MemoryBudgets.READ_WAIT)) {
            return add(lists.page(filter, page.tooLarge()), filter, list);
        }
    }

    private static Optional<ApprovalListStore.Filter> add(
            ApprovalListStore.Page page, ApprovalListStore.Filter filter, JsonList list)
            throws IOException {
        for (var row : page.rows()) {
            list.add(row.toApi());
        }
        int remaining = filter.limit() - page.rows().size();
        return page.isComplete() || page.rows().isEmpty() || remaining == 0
                ? Optional.empty()
                : Optional.of(
                        new ApprovalListStore.Filter(
                                filter.tenant(),
                                filter.status(),
                                filter.session(),
                                Optional.of(page.rows().getLast()),
                                remaining));
    }

    private static int limit(String text) {
        try {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MAX_LIMIT) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw ApiException.invalid("limit", "must be a whole number from 1 to " + MAX_LIMIT);
    }
}
