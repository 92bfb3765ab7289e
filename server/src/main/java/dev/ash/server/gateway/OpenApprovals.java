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
 * The approvals to send on a new connection: each open one once, whether it is in the replayed part
 * of the log or was sent on an earlier connection.
 */
final class OpenApprovals {
    private final Supplier<List<Approval>> open;
    private final Set<String> unreplayed; // ids of those not seen in the replayed log

    OpenApprovals(Supplier<List<Approval>> open) {
        this.open = open;
        this.unreplayed = ids();
    }

    private Set<String> ids() {
        var ids = new HashSet<String>();
        open.get().forEach(approval -> ids.add(approval.id()));
        return ids;
    }

    /** Returns whether a replayed event is an approval that has been resolved meanwhile. */
    boolean isResolved(LoggedEvent event) {
        if (event.type() != EventType.APPROVAL_REQUIRED) {
            return false;
        }
        try {
            var id = JsonObject.parse(event.data()).requireString("id");
            unreplayed.remove(id);
            return !ids().contains(id);
        } catch (MalformedJsonException e) {
            return true;
        }
    }

    /** Returns the approvals that are still open and were sent only on earlier connections. */
    List<Approval> remaining() {
        return unreplayed.isEmpty()
                ? List.of()
                : open.get().stream().filter(each -> unreplayed.contains(each.id())).toList();
    }
}
