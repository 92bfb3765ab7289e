package dev.ash.server.hooks;

import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent.Approval.Kind;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decisions in the words of Claude Code. */
final class HookAnswer {
    /** No answer: the terminal does as if there were no hook, and asks by itself. */
    static final RawJson NONE = RawJson.EMPTY_OBJECT;

    private static final String DENIED = "A person rejected this.";

    static RawJson of(HookEvent event, Optional<Approve> decision) {
        if (event.is("PermissionRequest")) {
            return decision.map(answer -> permission(event, answer)).orElse(NONE);
        }
        // No word about a tool that was to be asked about would let it run where the terminal has
        // no objection: its own prompt must come instead.
        return decision.map(answer -> preToolUse(event, answer))
                .orElseGet(() -> preToolUse("ask", "Nobody answered through Ash", null));
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

    /** Answers to a question go with the question, as the tool takes both. */
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
            throw new IllegalStateException("a decision with an input that is no object", e);
        }
    }

    private HookAnswer() {}
}
