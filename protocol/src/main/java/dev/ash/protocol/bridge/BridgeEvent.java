package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a bridge tells its server. */
public sealed interface BridgeEvent {
    /**
     * First line on every connection. {@code sandboxId} and {@code nonce} prove which launch this
     * is; a bridge written to the plain protocol leaves them out.
     */
    record Ready(@Nullable String sandboxId, @Nullable String nonce, @Nullable String engine)
            implements BridgeEvent {}

    /**
     * {@code data} is the engine's own message, carried unread: the engine may change without us.
     */
    record Message(RawJson data) implements BridgeEvent {}

    /** {@code engineGone}: not only this turn failed, the engine died under it. */
    record Failed(String error, boolean engineGone) implements BridgeEvent {
        public Failed(String error) {
            this(error, false);
        }
    }

    record Done(String sessionId) implements BridgeEvent {}

    /** The engine began a turn that nobody asked for, such as a background task that finished. */
    record TurnStarted(String origin) implements BridgeEvent {}

    record ExecResult(String id, int exitCode, String stdout, String stderr)
            implements BridgeEvent {}

    /** The answer to {@code attach}: what it is doing; the events asked for follow. */
    record Attached(@Nullable String turnId, boolean running) implements BridgeEvent {}

    /**
     * The engine asks a person before it goes on, and waits. {@code id} names the question in this
     * bridge.
     */
    record Approval(
            String id,
            Kind kind,
            String tool,
            RawJson input,
            @Nullable String toolUseId,
            @Nullable String description)
            implements BridgeEvent {

        /** A tool that wants to run, a question of the model's own, a plan to agree to. */
        public enum Kind {
            TOOL,
            QUESTION,
            PLAN;

            public String wire() {
                return name().toLowerCase(Locale.ROOT);
            }

            /** What this build does not know is treated as a tool. */
            public static Kind ofWire(String wire) {
                return switch (wire) {
                    case "question" -> QUESTION;
                    case "plan" -> PLAN;
                    default -> TOOL;
                };
            }
        }
    }

    /** The engine does not wait for this question any more, as after an interrupt. */
    record ApprovalGone(String id) implements BridgeEvent {}

    /**
     * The answer to {@code rest}: whether the bridge can end now, else why not. {@code laidAside}
     * is the question that a {@code continue} will ask again; its turn stays open.
     */
    record Resting(boolean ready, @Nullable String why, @Nullable String laidAside)
            implements BridgeEvent {}

    /** A kind this build does not know; skipped, so that a newer bridge can talk to it. */
    record Unknown(String kind) implements BridgeEvent {}
}
