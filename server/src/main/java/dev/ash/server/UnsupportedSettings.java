package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.CloudPlatform;
import java.util.Map;

/** Rejects settings of features that this version does not support. */
final class UnsupportedSettings {
    static void reject(Settings settings, Map<String, String> environment) {
        CloudPlatform.rejection(environment)
                .ifPresent(
                        why -> {
                            throw unsupported(why);
                        });
        var mode = settings.text("ASH_MODE").orElse("standalone");
        switch (mode) {
            case "standalone" -> {}
            case "coordinator", "runner" ->
                    throw unsupported(
                            "ASH_MODE is \"%s\", which is not available yet: this version runs standalone only; set it to standalone, or remove it"
                                    .formatted(mode));
            default ->
                    throw unsupported(
                            "ASH_MODE is \"%s\"; it must be standalone, or not be set"
                                    .formatted(mode));
        }
        if (settings.text("ASH_DATABASE_URL")
                .isPresent()) { // do not print its value: it contains a password
            throw unsupported(
                    "ASH_DATABASE_URL is set, but other databases are not available yet: this version stores everything in SQLite, in ash.db of the data directory; remove ASH_DATABASE_URL");
        }
    }

    private static ApiException unsupported(String message) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, message);
    }

    private UnsupportedSettings() {}
}
