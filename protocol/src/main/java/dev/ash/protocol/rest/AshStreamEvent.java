package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notice;
import org.jspecify.annotations.Nullable;

/**
 * One frame of an event stream. {@code Message}, {@code Failed} and {@code Done} are sufficient for
 * a client; the others are derived from the messages for simple clients.
 */
public sealed interface AshStreamEvent {
    record SessionStart(String sessionId, String version) implements AshStreamEvent {}

    /** The engine's message, unchanged; {@code id} is 0 for frames that are not in the log. */
    record Message(RawJson data, long id) implements AshStreamEvent {}

    record TextDelta(String delta) implements AshStreamEvent {}

    record ThinkingDelta(String delta) implements AshStreamEvent {}

    record ToolUse(String id, String name, RawJson input) implements AshStreamEvent {}

    record ToolResult(String toolUseId, @Nullable RawJson content, boolean isError)
            implements AshStreamEvent {}

    record TurnComplete(long numTurns, @Nullable String result) implements AshStreamEvent {}

    record Failed(String error, long id) implements AshStreamEvent {}

    record Done(String sessionId, long id) implements AshStreamEvent {}

    /** The turn waits for a decision on this approval. */
    record ApprovalRequired(Approval approval, long id) implements AshStreamEvent {}

    record ApprovalResolved(Approval approval, long id) implements AshStreamEvent {}

    /** A notice; sent again for each retry of the engine. */
    record NoticeEvent(Notice notice) implements AshStreamEvent {}

    /** A prompt, if the stream was requested with prompts: a string or an array of blocks. */
    record Prompt(RawJson content, long id) implements AshStreamEvent {}

    /** An event type that this version does not know. */
    record Unknown(String event, RawJson data) implements AshStreamEvent {}
}
