package dev.ash.pair.mcp;

import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.mailbox.Status;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.util.Map;
import java.util.Set;

/** {@code bridge_status}: returns counts of messages and signals. */
record StatusTool(Mailbox mailbox, ToolUser user) implements Tool {
    @Override
    public String name() {
        return "bridge_status";
    }

    @Override
    public String errorPrefix() {
        return "status failed: ";
    }

    @Override
    public RawJson definition() {
        return Schemas.status();
    }

    @Override
    public ToolResult call(RawJson json, PendingCall call) throws IOException {
        Arguments.of(json, Set.of());
        var status = mailbox.status();
        var structured =
                JsonWriter.object()
                        .put("peer", user.peer().value())
                        .put("peers", user.others())
                        .put("total_messages", status.total())
                        .put("done_signal", status.done() > 0)
                        .put("pass_count", status.pass())
                        .put("fail_count", status.fail())
                        .put("done_count", status.done())
                        .put("signal_count", status.signals());
        counts(structured, "messages_by_agent", status.bySender());
        counts(structured, "messages_by_type", status.byType());
        structured
                .put("last_seq", status.total())
                .put("acked_seq", mailbox.acked(user.peer()))
                .put("flagged", status.flagged())
                .put("skipped_lines", status.skipped());
        return ToolResult.of(text(status), structured.end());
    }

    private static void counts(JsonWriter json, String name, Map<String, Long> counts) {
        json.name(name).open('{');
        counts.forEach(json::put);
        json.close('}');
    }

    private static String text(Status status) {
        var text = new StringBuilder("Bridge Status:\n");
        text.append("  Total Messages: ").append(status.total()).append('\n');
        text.append("  Done Signal: ").append(status.done() > 0).append('\n');
        text.append("  Pass Count: ").append(status.pass()).append('\n');
        text.append("  Fail Count: ").append(status.fail()).append('\n');
        text.append("  Done Count: ").append(status.done()).append('\n');
        text.append("  Total Signals: ").append(status.signals()).append('\n');
        text.append("  Messages by Agent:\n");
        status.bySender().forEach((name, count) -> line(text, name, count));
        text.append("  Messages by Type:\n");
        status.byType().forEach((name, count) -> line(text, name, count));
        if (status.skipped() > 0) {
            text.append("  Unreadable Lines: ").append(status.skipped()).append('\n');
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String name, long count) {
        text.append("    ").append(Arguments.shortened(name.replaceAll("\\s", " ")));
        text.append(": ").append(count).append('\n');
    }
}
