package dev.ash.protocol.bridge;

import dev.ash.protocol.json.RawJson;
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

    record Failed(String error) implements BridgeEvent {}

    record Done(String sessionId) implements BridgeEvent {}

    /** The engine began a turn that nobody asked for, such as a background task that finished. */
    record TurnStarted(String origin) implements BridgeEvent {}

    record ExecResult(String id, int exitCode, String stdout, String stderr)
            implements BridgeEvent {}

    /** A kind this build does not know; skipped, so that a newer bridge can talk to it. */
    record Unknown(String kind) implements BridgeEvent {}
}
