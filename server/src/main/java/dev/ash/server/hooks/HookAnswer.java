package dev.ash.server.hooks;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Formats decisions as the output of a Claude Code hook. */
final class HookAnswer {
    /** No answer: Claude Code behaves as without a hook, and prompts in the terminal. */
    static final RawJson NONE = RawJson.EMPTY_OBJECT;

    private static final String DENIED = "The user rejected this.";

    static RawJson of(HookEvent event, Optional<Approve> decision) {
        if (event.is("PermissionRequest")) {
            return decision.map(answer -> permission(event, answer)).orElse(NONE);
        }
        // Without a decision, Claude Code would run a tool that its own settings allow: request its
        // own prompt instead.
        return decision.map(answer -> preToolUse(event, answer))
                .orElseGet(() -> preToolUse("ask", "No answer was given through Ash", null));
    }

    private static RawJson permission(HookEvent event, Approve answer) {
        var json =
                JsonWriter.object()
                        .name("hookSpecificOutput")
                        .open('{')
                        .put("hookEventName", "PermissionRequest")
                        .name("decision")
                        .open('{')
                        .put("behavior", answer.allow() ? "allow" : "deny");
        if (answer.allow()) {
            json.put("updatedInput", input(event, answer));
        } else {
            json.put("message", reason(answer));
        }
        return json.close('}').close('}').end();
    }

    private static RawJson preToolUse(HookEvent event, Approve answer) {
        return answer.allow()
                ? preToolUse("allow", answer.message(), input(event, answer))
                : preToolUse("deny", reason(answer), null);
    }

    private static RawJson preToolUse(
            String decision, @Nullable String reason, @Nullable RawJson input) {
        return JsonWriter.object()
                .name("hookSpecificOutput")
                .open('{')
                .put("hookEventName", "PreToolUse")
                .put("permissionDecision", decision)
                .put("permissionDecisionReason", reason)
                .put("updatedInput", input)
                .close('}')
                .end();
    }

    private static String reason(Approve answer) {
        return answer.message() == null ? DENIED : answer.message();
    }

    /** Adds the questions to the answers, as the tool expects both. */
    private static @Nullable RawJson input(HookEvent event, Approve answer) {
        var changed = answer.input();
        if (changed == null || event.kind() != Kind.QUESTION) {
            return changed;
        }
        try {
            var answers = JsonObject.parse(changed);
            if (answers.raw("questions").isPresent()) {
                return changed;
            }
            var json = JsonWriter.object();
            json.put(
                    "questions", JsonObject.parse(event.toolInput()).raw("questions").orElse(null));
            answers.names().forEach(name -> json.put(name, answers.raw(name).orElse(null)));
            return json.end();
        } catch (MalformedJsonException e) {
            throw new IllegalStateException("the input of a decision is not a JSON object", e);
        }
    }

    private HookAnswer() {}
}
