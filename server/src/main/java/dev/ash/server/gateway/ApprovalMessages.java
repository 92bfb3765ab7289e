package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.approval.ApprovalId;
import dev.ash.server.approval.Approvals;
import dev.ash.server.device.Device;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Answers of devices. The first that anybody gives counts. */
final class ApprovalMessages {
    private static final String MODIFIED = "modified";

    private final Approvals approvals;

    ApprovalMessages(Approvals approvals) {
        this.approvals = approvals;
    }

    /** What is open in a session. */
    List<Approval> open(Device device, SessionId session) {
        return approvals.pending(device.tenant(), session);
    }

    @Nullable GatewayFrame decide(Device device, GatewayFrame frame, Set<Capability> capabilities)
            throws MalformedJsonException {
        var fields = frame.fields();
        var open = find(device, fields);
        if (open.isEmpty()) {
            return notOpen(frame, fields);
        }
        var decision = fields.requireString("decision");
        var input = fields.raw("modifications").filter(raw -> !raw.equals(RawJson.NULL));
        if (decision.equals(MODIFIED) && input.isEmpty()) {
            return ErrorFrames.of(
                    frame,
                    GatewayError.TOOL_ERROR,
                    "modified needs modifications: all the params that the tool is to be called with");
        }
        var scope =
                capabilities.contains(Capability.APPROVALS)
                        ? fields.string("scope")
                        : Optional.<String>empty();
        decide(
                device,
                open.get(),
                new ApprovalApi.Decide(
                        decision,
                        decision.equals(MODIFIED) ? input.orElse(null) : null,
                        fields.string("message").orElse(null),
                        scope.orElse(null)));
        return null;
    }

    /** Answers a question of the model's own. */
    @Nullable GatewayFrame answer(Device device, GatewayFrame frame) throws MalformedJsonException {
        var fields = frame.fields();
        var open = find(device, fields);
        if (open.isEmpty()) {
            return notOpen(frame, fields);
        }
        var answers = fields.raw("answers").filter(raw -> !raw.equals(RawJson.NULL));
        decide(
                device,
                open.get(),
                answers.isPresent()
                        ? new ApprovalApi.Decide(
                                MODIFIED,
                                JsonWriter.object().put("answers", answers.get()).end(),
                                null,
                                null)
                        : new ApprovalApi.Decide(
                                "rejected", null, fields.string("message").orElse(null), null));
        return null;
    }

    private void decide(Device device, Approval open, ApprovalApi.Decide decision) {
        approvals.decide(
                device.tenant(), new ApprovalId(open.id()), decision, "device:" + device.name());
    }

    private Optional<Approval> find(Device device, JsonObject fields)
            throws MalformedJsonException {
        var call = fields.requireString("tool_call_id");
        return open(device, DeviceDesk.session(fields)).stream()
                .filter(each -> call.equals(each.toolUseId()) || call.equals(each.id()))
                .findFirst();
    }

    private static GatewayFrame notOpen(GatewayFrame frame, JsonObject fields)
            throws MalformedJsonException {
        return ErrorFrames.of(
                frame,
                GatewayError.TOOL_ERROR,
                "No question about the call %s is open; it may have been answered"
                        .formatted(fields.requireString("tool_call_id")));
    }
}
