package dev.ash.server.gateway;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.event.EventViews;
import dev.ash.server.event.ViewRow;

/**
 * A page of the messages of a session: at most {@code limit}, or fewer if they are large, but at
 * least one if there is one. {@code has_more} states whether further messages exist.
 */
final class HistoryPage implements EventViews.RowConsumer {
    private static final long MAX_BYTES = 1024 * 1024;

    private final JsonWriter payload;
    private final int limit;
    private long next;
    private int count;
    private long bytes;
    private boolean hasMore;

    HistoryPage(SessionId session, long after, int limit) {
        this.payload = JsonWriter.object().put("session_id", session.value());
        this.limit = limit;
        this.next = after;
        payload.name("messages").open('[');
    }

    @Override
    public boolean accept(ViewRow row) {
        if (count == limit || (count > 0 && bytes + row.data().length() > MAX_BYTES)) {
            hasMore = true;
            return false;
        }
        count++;
        bytes += row.data().length();
        next = row.sequence();
        payload.value(
                JsonWriter.object()
                        .put("sequence", row.sequence())
                        .put("role", row.kind())
                        .put("timestamp", row.createdAt())
                        .put("content", row.data())
                        .end());
        return true;
    }

    GatewayFrame frame() {
        payload.close(']').put("next_after", next).put("has_more", hasMore);
        return GatewayFrame.of("history_response", payload);
    }
}
