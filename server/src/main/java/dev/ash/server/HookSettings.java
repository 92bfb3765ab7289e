package dev.ash.server;

import dev.ash.server.hooks.HookTimeouts;
import java.util.Optional;

/** The settings of terminal sessions: the token of their hooks, and their timeouts. */
record HookSettings(Optional<String> token, HookTimeouts times) {
    static HookSettings read(Settings settings) {
        return new HookSettings(
                settings.text("ASH_HOOK_TOKEN"),
                new HookTimeouts(
                        settings.millis("ASH_HOOK_WAIT_MS", 300_000, 0),
                        settings.millis("ASH_HOOK_SILENCE_MS", 7_200_000, 0)));
    }
}
