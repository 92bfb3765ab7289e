package dev.ash.bridge.acp;

import java.util.List;

/**
 * The data of an ended turn for its result.
 *
 * @param calls the number of tool calls
 * @param text the last message of the model
 */
record AcpSummary(
        End end, int calls, String text, AcpContextUsage context, List<AcpToolUse> denied) {

    /** How a turn ended, and what it used. */
    record End(boolean interrupted, String stopReason, long millis, AcpUsage usage) {}
}
