package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.notice.Notice;
import org.jspecify.annotations.Nullable;

/**
 * One frame of an event stream. {@code Message}, {@code Failed} and {@code Done} are all a client
 * needs; the others are derived from the messages for clients that only want the highlights.
 */
public sealed interface AshStreamEvent {
    record SessionStart(String sessionId, String version) implements AshStreamEvent {}

    /** The engine's message, byte for byte; {@code id} is 0 on frames that are not in the log. */
    record Message(RawJson data, long id) implements AshStreamEvent {}

    record TextDelta(String delta) implements AshStreamEvent {}

    record ThinkingDelta(String delta) implements AshStreamEvent {}

    record ToolUse(String id, String name, RawJson input) implements AshStreamEvent {}

    record ToolResult(String toolUseId, @Nullable RawJson content, boolean isError)
            implements AshStreamEvent {}

    record TurnComplete(long numTurns, @Nullable String result) implements AshStreamEvent {}

    record Failed(String error, long id) implements AshStreamEvent {}

    record Done(String sessionId, long id) implements AshStreamEvent {}

    /** The turn waits for an answer to this. */
    record ApprovalRequired(Approval approval, long id) implements AshStreamEvent {}

    record ApprovalResolved(Approval approval, long id) implements AshStreamEvent {}

    /** What the engine waits for or lacks; repeated as long as the engine repeats its attempts. */
    record Noticed(Notice notice) implements AshStreamEvent {}

    /** A prompt, in a stream that was requested with prompts; a string, or an array of blocks. */
    record Prompt(RawJson content, long id) implements AshStreamEvent {}

    /** A kind this build does not know. */
    record Unknown(String event, RawJson data) implements AshStreamEvent {}
}
