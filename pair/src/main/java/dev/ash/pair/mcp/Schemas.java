package dev.ash.pair.mcp;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.List;

/** JSON schemas and descriptions of the tools. */
final class Schemas {
    private static final String MESSAGE =
            """
            {"type":"object","properties":{"seq":{"type":"integer"},"id":{"type":"string"},"from":{"type":"string"},\
            "to":{"type":"string"},"type":{"type":"string"},"signal":{"type":"string"},"content":{"type":"string"},\
            "timestamp":{"type":"string"},"iteration":{"type":"integer"},"metadata":{}},\
            "required":["seq","id","from","to","type","signal","content","timestamp","iteration"]}\
            """;

    private Schemas() {}

    static RawJson send(List<String> targets, List<String> types, List<String> signals) {
        return RawJson.of(
                """
                {"name":"send_to_agent","title":"Send a message","description":"Send a message to another agent through the bridge",\
                "inputSchema":{"type":"object","properties":{\
                "to":{"type":"string","enum":%s,"description":"Target agent name; empty or absent for all peers"},\
                "message_type":{"type":"string","enum":%s,"description":"Type of message: task, result, review, signal, or chat"},\
                "content":{"type":"string","description":"Message content; optional for signals only"},\
                "signal":{"type":"string","enum":%s,"description":"Signal value for signal type: DONE, PASS, or FAIL"},\
                "client_id":{"type":"string","minLength":1,"maxLength":200,"description":"Idempotency key of your choice; messages with the same key are stored once"}},\
                "required":["message_type"],"additionalProperties":false},\
                "outputSchema":{"type":"object","properties":{"id":{"type":"string"},"seq":{"type":"integer"},"duplicate":{"type":"boolean"}},"required":["id","seq","duplicate"]},\
                "annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}\
                """
                        .formatted(array(targets), array(types), array(signals)));
    }

    static RawJson receive(String peer, int maxLimit, int maxWaitSeconds) {
        return RawJson.of(
                """
                {"name":"receive_messages","title":"Receive messages","description":"Receive pending messages from the bridge. \
                Messages of one call are acknowledged by the next call of the same connection, unless that call has ack; unacknowledged messages are delivered again on a new connection.",\
                "inputSchema":{"type":"object","properties":{\
                "agent":{"type":"string","enum":[%s],"description":"Agent name to receive messages for: your own"},\
                "since_id":{"type":"string","description":"Only return messages after this ID, or after this number (seq)"},\
                "limit":{"type":"integer","minimum":1,"maximum":%d,"description":"Maximum number of messages"},\
                "wait_seconds":{"type":"integer","minimum":0,"maximum":%d,"description":"Maximum time to wait for a message if there is none"},\
                "ack":{"type":"integer","minimum":1,"description":"Acknowledge exactly up to this number (seq), instead of all delivered messages"},\
                "peek":{"type":"boolean","description":"Return messages without delivering or acknowledging them"}},\
                "additionalProperties":false},\
                "outputSchema":{"type":"object","properties":{"messages":{"type":"array","items":%s},"more":{"type":"boolean"},"acked_seq":{"type":"integer"},"note":{"type":"string"}},"required":["messages","more","acked_seq"]},\
                "annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}}\
                """
                        .formatted(RawJson.string(peer), maxLimit, maxWaitSeconds, MESSAGE));
    }

    static RawJson status() {
        return RawJson.of(
                """
                {"name":"bridge_status","title":"Status","description":"Get the current status of the bridge",\
                "inputSchema":{"type":"object","properties":{},"additionalProperties":false},\
                "outputSchema":{"type":"object","properties":{"peer":{"type":"string"},"peers":{"type":"array","items":{"type":"string"}},\
                "total_messages":{"type":"integer"},"done_signal":{"type":"boolean"},"pass_count":{"type":"integer"},"fail_count":{"type":"integer"},\
                "done_count":{"type":"integer"},"signal_count":{"type":"integer"},\
                "messages_by_agent":{"type":"object","additionalProperties":{"type":"integer"}},"messages_by_type":{"type":"object","additionalProperties":{"type":"integer"}},\
                "last_seq":{"type":"integer"},"acked_seq":{"type":"integer"},"flagged":{"type":"integer"},"skipped_lines":{"type":"integer"}},\
                "required":["total_messages","done_signal","pass_count","fail_count","messages_by_agent","messages_by_type"]},\
                "annotations":{"readOnlyHint":true,"openWorldHint":false}}\
                """);
    }

    static RawJson verdict(List<String> verdicts, List<String> severities) {
        return RawJson.of(
                """
                {"name":"submit_verdict","title":"Submit your verdict","description":"Submit your verdict on the commit under review. Call it once, when your review is complete; text outside of this tool does not count.",\
                "inputSchema":{"type":"object","properties":{\
                "verdict":{"type":"string","enum":%s,"description":"PASS only if nothing must change"},\
                "summary":{"type":"string","minLength":1,"description":"Reasons, in a few sentences"},\
                "findings":{"type":"array","maxItems":500,"items":{"type":"object","properties":{\
                "id":{"type":"string","description":"Id of an earlier finding that you raise again"},"severity":{"type":"string","enum":%s},"file":{"type":"string","description":"Path in the repository"},\
                "line":{"type":"integer","minimum":0},"title":{"type":"string","minLength":1},"detail":{"type":"string"}},\
                "required":["severity","title"],"additionalProperties":false}},\
                "commit":{"type":"string","description":"Hash of the reviewed commit"}},\
                "required":["verdict","summary"],"additionalProperties":false},\
                "outputSchema":{"type":"object","properties":{"verdict":{"type":"string"},"review_seq":{"type":"integer"},"signal_seq":{"type":"integer"},"duplicate":{"type":"boolean"}},\
                "required":["verdict","review_seq","signal_seq","duplicate"]},\
                "annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}\
                """
                        .formatted(array(verdicts), array(severities)));
    }

    private static RawJson array(List<String> values) {
        var json = new JsonWriter().open('[');
        values.forEach(json::value);
        return json.close(']').toRawJson();
    }
}
