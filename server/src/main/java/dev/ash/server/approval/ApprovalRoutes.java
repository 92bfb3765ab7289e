package dev.ash.server.approval;

import dev.ash.server.http.Endpoint;
import java.util.List;

/** The endpoints of approvals. */
@SuppressWarnings("unused")
public final class ApprovalRoutes {
    public ApprovalRoutes(Approvals approvals, ApprovalStore store) {}

    public List<Endpoint> endpoints() {
        return List.of();
    }
}
