package dev.ash.server.session.live;

import dev.ash.server.approval.Approvals;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.project.Projects;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.runner.RunnerCoordinator;
import dev.ash.server.session.store.SessionStatusStore;
import dev.ash.server.session.store.SessionStore;
import dev.ash.server.session.store.TurnStore;

/** The shared dependencies of live sessions. */
public record SessionCore(
        SessionEvents events,
        SessionStore sessions,
        SessionStatusStore statuses,
        TurnStore turns,
        RunnerCoordinator runners,
        Approvals approvals,
        Egress egress,
        Projects projects,
        QuotaStore quotas) {}
