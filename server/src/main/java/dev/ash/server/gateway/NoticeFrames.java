package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.notice.Notice;
import dev.ash.protocol.notice.Notices;
import dev.ash.server.event.LoggedEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Maps notices to {@code notification} frames, which the published app displays; it ignores {@code
 * error} frames without a request. Each notice is sent once per turn, although the engine repeats
 * it with every attempt. Not thread-safe.
 */
final class NoticeFrames {
    private static final int MAX_PER_TURN = 20;

    private final SessionId session;
    private final Set<Notice> sent = new HashSet<>();

    NoticeFrames(SessionId session) {
        this.session = session;
    }

    void add(LoggedEvent event, JsonObject data, FrameCollector frames)
            throws MalformedJsonException {
        switch (event.type()) {
            case PROMPT, DONE -> sent.clear();
            case MESSAGE -> {
                if (data.string("type").orElse("").equals("system")) {
                    add(event, Notices.ofSystemMessage(data), frames);
                }
            }
            case NETWORK_BLOCKED ->
                    add(event, Notices.ofBlockedHost(event.data()).stream().toList(), frames);
            case ERROR, APPROVAL_REQUIRED, APPROVAL_RESOLVED, HOOK, LIFECYCLE -> {}
        }
    }

    private void add(LoggedEvent event, List<Notice> notices, FrameCollector frames) {
        for (int i = 0; i < notices.size(); i++) {
            if (sent.size() < MAX_PER_TURN && sent.add(notices.get(i))) {
                // Stable across replays, because a device acknowledges notifications by their id.
                var id = "%s/%d.%d".formatted(session.value(), event.seq(), i);
                frames.add(frame(id, notices.get(i)));
            }
        }
    }

    private GatewayFrame frame(String id, Notice notice) {
        return GatewayFrame.of(
                        "notification",
                        JsonWriter.object()
                                .put("notification_id", id)
                                .put("session_id", session.value())
                                .put("notification_type", "info")
                                .put("title", title(notice))
                                .put("body", notice.line())
                                .put("priority", "normal")
                                .put("data", Map.of("kind", notice.kind(), "screen", "session")))
                .withId(id);
    }

    private static String title(Notice notice) {
        return switch (notice.kind()) {
            case Notices.MCP_SERVER_FAILED -> "MCP server failed";
            case Notices.NETWORK_BLOCKED -> "Network access blocked";
            default -> "Waiting for the model";
        };
    }
}
