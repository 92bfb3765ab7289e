package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;

/** Rejects settings that ask for something this version does not have. */
final class UnsupportedSettings {
    static void reject(Settings settings) {
        var mode = settings.text("ASH_MODE").orElse("standalone");
        switch (mode) {
            case "standalone" -> {}
            case "coordinator", "runner" ->
                    throw refused(
                            "ASH_MODE is \"%s\", which is not available yet: this version runs standalone only; set it to standalone, or remove it"
                                    .formatted(mode));
            default ->
                    throw refused(
                            "ASH_MODE is \"%s\"; it must be standalone, or not be set"
                                    .formatted(mode));
        }
        if (settings.text("ASH_DATABASE_URL").isPresent()) { // without its value: it has a password
            throw refused(
                    "ASH_DATABASE_URL is set, but other databases are not available yet: this version stores everything in SQLite, in ash.db of the data directory; remove ASH_DATABASE_URL");
        }
    }

    private static ApiException refused(String sentence) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, sentence);
    }

    private UnsupportedSettings() {}
}
