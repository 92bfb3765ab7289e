package dev.ash.bridge.claude;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.HashSet;
import java.util.Set;

/**
 * The unfinished work of a CLI process according to its messages: tool calls without a result, and
 * tasks, which may continue in the background after their call. Not thread-safe.
 */
final class OpenWork {
    private final boolean tracksCalls;
    private final Set<String> calls = new HashSet<>();
    private final Set<String> tasks = new HashSet<>();

    /** {@code tracksCalls} is optional because it requires parsing every message. */
    OpenWork(boolean tracksCalls) {
        this.tracksCalls = tracksCalls;
    }

    void observe(ClaudeLine line) throws MalformedJsonException {
        switch (line.json().string("type").orElse("")) {
            case "assistant", "user" -> {
                if (tracksCalls) {
                    observeBlocks(line.json());
                }
            }
            case "result" -> calls.clear();
            case "system" -> observeTask(line.json());
            default -> {}
        }
    }

    private void observeBlocks(JsonObject line) throws MalformedJsonException {
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

    /** Every task, also a stopped one, ends with a notification, which may start a turn. */
    private void observeTask(JsonObject line) throws MalformedJsonException {
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
