package dev.ash.e2e.gateway;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import tools.jackson.databind.json.JsonMapper;

/** Generates malformed messages. */
final class FuzzTexts {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String RANDOM_SESSION = UUID.randomUUID().toString();

    /** Every request with all its fields, which name nothing that exists. */
    private static final Map<String, Map<String, Object>> REQUESTS = requests();

    /** Replacement values for a field. */
    private static final List<String> VALUES =
            List.of(
                    "null",
                    "true",
                    "17",
                    "-0.5",
                    "1e400",
                    "-1e-999999999",
                    "9223372036854775808",
                    "\"\"",
                    "\"../../../../etc/passwd\"",
                    "\"--upload-pack=touch /tmp/x\"",
                    "\"a\\u0000b\"",
                    "\"\\ud800\"",
                    "\"\uffff\u202e😀\"",
                    "\"" + "x".repeat(10_000) + "\"",
                    "[]",
                    "{}",
                    "[null,[1],{\"a\":[]}]",
                    "[\"a\",17]",
                    "{\"type\":\"text\",\"text\":{}}",
                    "[".repeat(400) + "]".repeat(400));

    private final Random random;

    FuzzTexts(Random random) {
        this.random = random;
    }

    private static Map<String, Map<String, Object>> requests() {
        var all = new LinkedHashMap<String, Map<String, Object>>();
        Object session = RANDOM_SESSION;
        all.put(
                "session_start",
                Map.of(
                        "agent",
                        "nobody",
                        "session_id",
                        session,
                        "resume",
                        true,
                        "model",
                        "m",
                        "working_directory",
                        "/nowhere"));
        all.put("session_end", Map.of("session_id", session, "reason", "user_request"));
        all.put(
                "message",
                Map.of(
                        "session_id",
                        session,
                        "content",
                        "hi",
                        "role",
                        "user",
                        "attachments",
                        List.of()));
        all.put(
                "approval_response",
                Map.of(
                        "session_id",
                        session,
                        "tool_call_id",
                        "c",
                        "decision",
                        "approved",
                        "modifications",
                        Map.of(),
                        "scope",
                        "session"));
        all.put(
                "question_response",
                Map.of("session_id", session, "tool_call_id", "c", "answers", Map.of()));
        all.put(
                "plan_review_response",
                Map.of("session_id", session, "tool_call_id", "c", "decision", "approved"));
        all.put("interrupt", Map.of("session_id", session));
        all.put("history_request", Map.of("session_id", session, "after", 0, "limit", 5));
        all.put("git_status_request", Map.of("session_id", session));
        all.put("git_commit", Map.of("session_id", session, "message", "m", "files", List.of("a")));
        all.put("git_diff", Map.of("session_id", session, "files", List.of("a"), "cached", true));
        all.put("file_list", Map.of("session_id", session, "path", "/", "offset", 0, "limit", 10));
        all.put("file_read", Map.of("session_id", session, "path", "/a", "offset", 0, "limit", 10));
        all.put(
                "health_check",
                Map.of(
                        "timestamp",
                        "2026-03-20T14:32:00Z",
                        "client_nonce",
                        "n",
                        "client_capabilities",
                        List.of("health_v1")));
        all.put(
                "acknowledge_warning",
                Map.of("warning_code", "NONE", "acknowledged", true, "acknowledged_at", "now"));
        all.put("auth", Map.of("token", "t", "client_version", "1.0.0", "platform", "ios"));
        return all;
    }

    /** Returns a text that must be answered with {@code BRIDGE_ERROR} after authentication. */
    String malformed() {
        return switch (random.nextInt(13)) {
            case 0 -> "";
            case 1 -> "{".repeat(1 + random.nextInt(50));
            case 2 -> "[".repeat(100_000) + "]".repeat(random.nextInt(2) * 100_000);
            case 3 -> "{\"a\":".repeat(100_000);
            case 4 -> noise(1 + random.nextInt(300));
            case 5 -> cut(valid());
            case 6 -> valid() + valid();
            case 7 -> "{\"type\":" + VALUES.get(random.nextInt(7)) + ",\"payload\":{}}";
            case 8 -> "{\"type\":\"message\",\"payload\":" + notObject() + "}";
            case 9 -> "{\"type\":\"" + unknownType() + "\",\"id\":\"x\",\"payload\":{}}";
            case 10 ->
                    "{\"type\":\"file_read\",\"payload\":{\"limit\":%s}}"
                            .formatted("9".repeat(1001 + random.nextInt(100_000)));
            case 11 -> "{\"payload\":{},\"id\":\"x\"}";
            default -> valid().replace(":", random.nextBoolean() ? "=" : ",");
        };
    }

    private String noise(int length) {
        var text = new StringBuilder("~"); // no JSON text starts with it
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(0xd800));
        }
        return text.toString();
    }

    private String cut(String text) {
        return text.substring(0, random.nextInt(text.length()));
    }

    private String notObject() {
        return List.of("17", "\"text\"", "[]", "[{}]", "true").get(random.nextInt(5));
    }

    private String unknownType() {
        return List.of("", "MESSAGE", "message ", "session_ready", "stream_chunk", "x".repeat(5000))
                .get(random.nextInt(6));
    }

    private String valid() {
        var types = new ArrayList<>(REQUESTS.keySet());
        return request(types.get(random.nextInt(types.size())), "v", "", "");
    }

    /** Returns a well-formed request with another value in one of its fields. */
    String changed(String id) {
        var types = new ArrayList<>(REQUESTS.keySet());
        var type = types.get(random.nextInt(types.size()));
        var fields = new ArrayList<>(REQUESTS.get(type).keySet());
        return request(
                type,
                id,
                fields.get(random.nextInt(fields.size())),
                VALUES.get(random.nextInt(VALUES.size())));
    }

    private static String request(String type, String id, String field, String value) {
        var text = new StringBuilder();
        REQUESTS.get(type)
                .forEach(
                        (name, content) ->
                                text.append(text.isEmpty() ? "" : ",")
                                        .append('"')
                                        .append(name)
                                        .append("\":")
                                        .append(
                                                name.equals(field)
                                                        ? value
                                                        : MAPPER.writeValueAsString(content)));
        return "{\"type\":\"%s\",\"id\":\"%s\",\"payload\":{%s}}".formatted(type, id, text);
    }
}
