package dev.ash.bridge.codex;

import java.util.List;

/** What there is to say of a turn when it is over; {@code text} is the last that the model said. */
record TurnEnd(
        boolean interrupted, long millis, TokenUsage usage, String text, List<ToolCall> denied) {}
