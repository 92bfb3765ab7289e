package dev.ash.bridge.codex;

import dev.ash.bridge.rpc.RpcMessage;
import dev.ash.protocol.json.MalformedJsonException;
import java.util.Set;

/** The CLI's notifications that are not forwarded to clients. */
final class IgnoredNotifications {
    /** Repeated in every turn and useless to clients; others are forwarded, also unknown ones. */
    private static final Set<String> METHODS =
            Set.of(
                    "account/rateLimits/updated",
                    "item/commandExecution/outputDelta",
                    "item/fileChange/outputDelta",
                    "item/fileChange/patchUpdated",
                    "item/reasoning/summaryPartAdded",
                    "remoteControl/status/changed",
                    "thread/goal/cleared",
                    "thread/readState/changed",
                    "thread/settings/updated",
                    "thread/started",
                    "thread/status/changed",
                    "turn/diff/updated",
                    "turn/moderationMetadata");

    /** Of MCP servers, only those that failed to start are reported. */
    static boolean contains(RpcMessage message) throws MalformedJsonException {
        return METHODS.contains(message.method())
                || (message.method().equals("mcpServer/startupStatus/updated")
                        && !message.params().string("status").orElse("").equals("failed"));
    }

    private IgnoredNotifications() {}
}
