package dev.ash.protocol.bridge;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An event from a bridge to its server. Each event writes its own fields: the first switch over
 * their types would take several milliseconds of each bridge's start, because the JVM generates its
 * code at run time.
 */
public sealed interface BridgeEvent {
    /** Returns the value of {@code ev}. */
    String ev();

    /** Writes all fields except {@code ev} and those of {@link EventFrame}. */
    void write(JsonWriter json);

    /**
     * First line on every connection. {@code sandboxId} and {@code nonce} identify the launch; a
     * bridge of the plain protocol omits them.
     */
    record Ready(@Nullable String sandboxId, @Nullable String nonce, @Nullable String engine)
            implements BridgeEvent {
        @Override
        public String ev() {
            return "ready";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("sandboxId", sandboxId).put("nonce", nonce).put("engine", engine);
        }
    }

    /** A message of the engine, unparsed so that the engine can change its format. */
    record Message(RawJson data) implements BridgeEvent {
        @Override
        public String ev() {
            return "message";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("data", data);
        }
    }

    /** A failed turn. {@code engineGone} is true if the engine exited during the turn. */
    record Failed(String error, boolean engineGone) implements BridgeEvent {
        public Failed(String error) {
            this(error, false);
        }

        @Override
        public String ev() {
            return "error";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("error", error);
            if (engineGone) {
                json.put("engineGone", true);
            }
        }
    }

    record Done(String sessionId) implements BridgeEvent {
        @Override
        public String ev() {
            return "done";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("sessionId", sessionId);
        }
    }

    /** The engine began a turn without a prompt, for example after a background task finished. */
    record TurnStarted(String origin) implements BridgeEvent {
        @Override
        public String ev() {
            return "turn_started";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("origin", origin);
        }
    }

    record ExecResult(String id, int exitCode, String stdout, String stderr)
            implements BridgeEvent {
        @Override
        public String ev() {
            return "exec_result";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("id", id).put("exitCode", exitCode);
            json.put("stdout", stdout).put("stderr", stderr);
        }
    }

    /**
     * The response to {@code attach} with the current state; the requested events follow.
     *
     * @param last the number of the last event before this response; 0 if the bridge sends none
     */
    record Attached(@Nullable String turnId, boolean running, long last) implements BridgeEvent {
        public Attached(@Nullable String turnId, boolean running) {
            this(turnId, running, 0);
        }

        public Attached withLast(long number) {
            return new Attached(turnId, running, number);
        }

        @Override
        public String ev() {
            return "attached";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("turnId", turnId).put("state", running ? "running" : "idle").put("last", last);
        }
    }

    /**
     * The engine asks a person a question and waits for the answer. {@code id} identifies the
     * question within this bridge.
     */
    record Approval(
            String id,
            Kind kind,
            String tool,
            RawJson input,
            @Nullable String toolUseId,
            @Nullable String description)
            implements BridgeEvent {

        @Override
        public String ev() {
            return "approval";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("id", id).put("kind", kind.wire()).put("tool", tool);
            json.put("toolUseId", toolUseId).put("description", description).put("input", input);
        }

        /**
         * Whether the engine asks to run a tool, asks a free question, or asks to accept a plan.
         */
        public enum Kind {
            TOOL,
            QUESTION,
            PLAN;

            public String wire() {
                return name().toLowerCase(Locale.ROOT);
            }

            /** Parses a kind; an unknown kind is treated as {@link #TOOL}. */
            public static Kind ofWire(String wire) {
                return switch (wire) {
                    case "question" -> QUESTION;
                    case "plan" -> PLAN;
                    default -> TOOL;
                };
            }
        }
    }

    /** The engine no longer waits for this question, for example after an interrupt. */
    record ApprovalGone(String id) implements BridgeEvent {
        @Override
        public String ev() {
            return "approval_gone";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("id", id);
        }
    }

    /**
     * The response to {@code rest}: whether the bridge can exit now, otherwise the reason. {@code
     * deferredQuestion} is the question that a {@code continue} asks again; its turn stays open.
     */
    record Resting(boolean ready, @Nullable String reason, @Nullable String deferredQuestion)
            implements BridgeEvent {
        @Override
        public String ev() {
            return "resting";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("ready", ready).put("why", reason).put("laidAside", deferredQuestion);
        }
    }

    /**
     * The response to {@code steer}. {@code reason} states why the turn did not get the message; it
     * is null if it did.
     */
    record Steered(String id, @Nullable String reason) implements BridgeEvent {
        @Override
        public String ev() {
            return "steered";
        }

        @Override
        public void write(JsonWriter json) {
            json.put("id", id).put("why", reason);
        }
    }

    /** An unknown event; ignored, so that newer bridges remain compatible. */
    record Unknown(String kind) implements BridgeEvent {
        @Override
        public String ev() {
            return kind;
        }

        @Override
        public void write(JsonWriter json) {}
    }
}
