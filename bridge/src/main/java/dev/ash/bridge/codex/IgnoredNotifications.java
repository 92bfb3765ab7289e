package dev.ash.bridge.codex;

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

    static boolean contains(String method) {
        return METHODS.contains(method);
    }

    private IgnoredNotifications() {}
}
