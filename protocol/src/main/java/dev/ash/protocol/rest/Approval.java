package dev.ash.protocol.rest;

import dev.ash.protocol.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * A question of an engine to a person, and its decision.
 *
 * @param kind {@code tool}, {@code question} or {@code plan}
 * @param status {@code pending}, {@code approved}, {@code modified}, {@code rejected}, {@code
 *     expired} (which counts as rejected) or {@code cancelled} (its turn was interrupted)
 * @param input the input of the tool, as sent by the engine
 * @param decidedInput the replacement of the input if the decision is {@code modified}
 * @param scope {@code once} or {@code session}; present once approved
 * @param decidedBy the entry point that received the decision
 * @param source {@code hooks} for a terminal session, {@code pair} for a disagreement of peers,
 *     absent for an engine in a sandbox
 * @param riskLevel {@code low}, {@code medium}, {@code high} or {@code critical}; absent if the
 *     asker did not set it
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
