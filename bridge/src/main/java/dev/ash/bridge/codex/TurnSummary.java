package dev.ash.bridge.codex;

import java.util.List;

/** The data of an ended turn for its result; {@code text} is the last message of the model. */
record TurnSummary(
        boolean interrupted, long millis, TokenUsage usage, String text, List<ToolCall> denied) {}
