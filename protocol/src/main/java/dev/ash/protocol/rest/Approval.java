package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * A question that an engine asked before it went on, and what became of it.
 *
 * @param kind {@code tool}, {@code question} or {@code plan}
 * @param status {@code pending}, {@code approved}, {@code modified}, {@code rejected}, {@code
 *     expired} (which counts as rejected) or {@code cancelled} (its turn was interrupted)
 * @param input what the tool is called with, as the engine wrote it
 * @param decidedInput what it is called with instead, where the answer was {@code modified}
 * @param scope {@code once} or {@code session}, once approved
 * @param decidedBy which door the answer came through
 * @param source {@code hooks} where a terminal asks, {@code pair} where peers do not agree, absent
 *     for an engine in a sandbox
 * @param riskLevel {@code low}, {@code medium}, {@code high} or {@code critical} where the asker
 *     said so, absent elsewhere
 */
public record Approval(
        String id,
        String sessionId,
        @Nullable String turnId,
        @FieldSchema(values = {"tool", "question", "plan"}) String kind,
        String tool,
        @Nullable String toolUseId,
        @Nullable String description,
        @FieldSchema(ref = "ToolInput") RawJson input,
        @FieldSchema(
                        values = {
                            "pending",
                            "approved",
                            "modified",
                            "rejected",
                            "expired",
                            "cancelled"
                        })
                String status,
        @FieldSchema(ref = "ToolInput") @Nullable RawJson decidedInput,
        @Nullable String message,
        @FieldSchema(values = {"once", "session"}) @Nullable String scope,
        @Nullable String decidedBy,
        String createdAt,
        @Nullable String decidedAt,
        @Nullable String expiresAt,
        @FieldSchema(values = {"hooks", "pair"}) @Nullable String source,
        @FieldSchema(values = {"low", "medium", "high", "critical"}) @Nullable String riskLevel) {}
