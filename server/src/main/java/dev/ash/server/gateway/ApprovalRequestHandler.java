package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.ApprovalId;
import dev.ash.server.device.Device;
import dev.ash.server.gateway.DeviceMessage.AnswerQuestion;
import dev.ash.server.gateway.DeviceMessage.DecideApproval;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Handles answers of devices to approvals. The first answer of any client counts. */
final class ApprovalRequestHandler {
    private static final String MODIFIED = "modified";

    private final ApprovalAnswers answers;

    ApprovalRequestHandler(ApprovalAnswers answers) {
        this.answers = answers;
    }

    /** Returns the open approvals of a session. */
    List<Approval> findOpen(Device device, SessionId session) {
        return answers.pending(device.tenant(), session);
    }

    /** Decides about a tool call or a plan; returns an error frame if it is not open. */
    Optional<GatewayFrame> decide(
            Device device,
            GatewayFrame frame,
            DecideApproval message,
            Set<Capability> capabilities) {
        var open = find(device, message.session(), message.toolCall());
        if (open.isEmpty()) {
            return Optional.of(notOpen(frame, message.toolCall()));
        }
        boolean isModified = message.decision().equals(MODIFIED);
        if (isModified && message.modifications() == null) {
            return Optional.of(
                    ErrorFrames.of(
                            frame,
                            GatewayError.TOOL_ERROR,
                            "The decision \"modified\" requires modifications with all params of the tool call"));
        }
        decide(
                device,
                open.get(),
                new ApprovalApi.Decide(
                        message.decision(),
                        isModified ? message.modifications() : null,
                        message.message(),
                        capabilities.contains(Capability.APPROVALS) ? message.scope() : null));
        return Optional.empty();
    }

    /** Answers a question of the model; returns an error frame if it is not open. */
    Optional<GatewayFrame> answer(Device device, GatewayFrame frame, AnswerQuestion message) {
        var open = find(device, message.session(), message.toolCall());
        if (open.isEmpty()) {
            return Optional.of(notOpen(frame, message.toolCall()));
        }
        var answers = message.answers();
        decide(
                device,
                open.get(),
                answers == null
                        ? new ApprovalApi.Decide("rejected", null, message.message(), null)
                        : new ApprovalApi.Decide(
                                MODIFIED,
                                JsonWriter.object().put("answers", answers).end(),
                                null,
                                null));
        return Optional.empty();
    }

    private void decide(Device device, Approval open, ApprovalApi.Decide decision) {
        answers.decide(
                device.tenant(), new ApprovalId(open.id()), decision, "device:" + device.name());
    }

    private Optional<Approval> find(Device device, SessionId session, String call) {
        return findOpen(device, session).stream()
                .filter(each -> call.equals(each.toolUseId()) || call.equals(each.id()))
                .findFirst();
    }

    private static GatewayFrame notOpen(GatewayFrame frame, String call) {
        return ErrorFrames.of(
                frame,
                GatewayError.TOOL_ERROR,
                "No open approval for the tool call %s; it may have been answered".formatted(call));
    }
}
