package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.HashSet;
import java.util.Set;

/**
 * What a CLI process has begun and not finished, as far as its lines tell: tool calls without a
 * result, and tasks, which may outlast their call in the background. Not thread-safe.
 */
final class OpenWork {
    private final boolean seesCalls;
    private final Set<String> calls = new HashSet<>();
    private final Set<String> tasks = new HashSet<>();

    /** Calls are looked at only where they matter, because that means reading every message. */
    OpenWork(boolean seesCalls) {
        this.seesCalls = seesCalls;
    }

    void see(ClaudeLine line) throws MalformedJsonException {
        switch (line.json().string("type").orElse("")) {
            case "assistant", "user" -> {
                if (seesCalls) {
                    blocks(line.json());
                }
            }
            case "result" -> calls.clear();
            case "system" -> task(line.json());
            default -> {}
        }
    }

    private void blocks(JsonObject line) throws MalformedJsonException {
        var message = line.object("message");
        var content = message.isEmpty() ? null : message.get().raw("content").orElse(null);
        if (content == null || content.byteAt(0) != '[') {
            return;
        }
        for (var element : JsonObject.elements(content)) {
            var block = JsonObject.parse(element);
            switch (block.string("type").orElse("")) {
                case "tool_use" -> calls.add(block.string("id").orElse(""));
                case "tool_result" -> calls.remove(block.string("tool_use_id").orElse(""));
                default -> {}
            }
        }
    }

    /** Every task ends with a notification, stopped ones too; it may begin a turn. */
    private void task(JsonObject line) throws MalformedJsonException {
        var id = line.string("task_id").orElse("");
        switch (line.string("subtype").orElse("")) {
            case "task_started" -> tasks.add(id);
            case "task_notification" -> tasks.remove(id);
            default -> {}
        }
    }

    boolean hasTasks() {
        return !tasks.isEmpty();
    }

    boolean isOnly(String call) {
        return calls.equals(Set.of(call));
    }
}
