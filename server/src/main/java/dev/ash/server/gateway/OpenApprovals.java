package dev.ash.server.gateway;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The approvals to ask for on a new connection: each open one once, whether the replayed log
 * contains its question or the device was asked before.
 */
final class OpenApprovals {
    private final Supplier<List<Approval>> open;
    private final Set<String> before; // ids of those that may have been asked before

    OpenApprovals(Supplier<List<Approval>> open) {
        this.open = open;
        this.before = ids();
    }

    private Set<String> ids() {
        var ids = new HashSet<String>();
        open.get().forEach(approval -> ids.add(approval.id()));
        return ids;
    }

    /** Whether an event that is being told asks what somebody has answered meanwhile. */
    boolean isOver(LoggedEvent event) {
        if (event.type() != EventType.APPROVAL_REQUIRED) {
            return false;
        }
        try {
            var id = JsonObject.parse(event.data()).requireString("id");
            before.remove(id);
            return !ids().contains(id);
        } catch (MalformedJsonException e) {
            return true;
        }
    }

    /** Those that the device was asked on an earlier connection only, and that are still open. */
    List<Approval> left() {
        return before.isEmpty()
                ? List.of()
                : open.get().stream().filter(each -> before.contains(each.id())).toList();
    }
}
