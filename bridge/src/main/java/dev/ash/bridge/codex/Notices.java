package dev.ash.bridge.codex;

import java.util.Set;

/** Which of the CLI's notifications are of interest though they have no shape of their own. */
final class Notices {
    /** What every turn repeats and no client needs; the rest is passed on even if it is unknown. */
    private static final Set<String> QUIET =
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

    static boolean isQuiet(String method) {
        return QUIET.contains(method);
    }

    private Notices() {}
}
