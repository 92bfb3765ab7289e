package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Setting values from the environment or, with lower precedence, from {@code config.json}. */
final class Settings {
    /** {@code ash start} finds and prints warnings by this logger name. */
    private static final System.Logger LOG = System.getLogger("ash.settings");

    private final Map<String, String> values;

    private Settings(Map<String, String> values) {
        this.values = values;
    }

    static Settings of(Map<String, String> environment, Path dataDir) {
        var file = dataDir.resolve("config.json");
        var values = new HashMap<>(read(file));
        SettingNames.warnings(environment.keySet(), values.keySet(), file)
                .forEach(warning -> LOG.log(System.Logger.Level.WARNING, warning));
        values.putAll(environment);
        return new Settings(values);
    }

    private static Map<String, String> read(Path file) {
        if (!Files.isRegularFile(file)) {
            return Map.of();
        }
        var values = new HashMap<String, String>();
        try {
            var json = JsonObject.parse(new RawJson(Files.readAllBytes(file)));
            for (var name : json.names()) {
                var text = json.string(name);
                var setting = SettingNames.IN_FILE.getOrDefault(name, name);
                var previous =
                        values.put(
                                setting,
                                text.isPresent()
                                        ? text.get()
                                        : json.raw(name).map(String::valueOf).orElse(""));
                if (previous != null) {
                    throw invalid(
                            "%s contains %s under two names; remove one"
                                    .formatted(file, setting));
                }
            }
        } catch (IOException e) {
            throw invalid(file + " is not a JSON object of settings: " + e.getMessage());
        }
        return values;
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name)).map(String::strip).filter(v -> !v.isEmpty());
    }

    /** Returns whether the setting is present, even if it is empty. */
    boolean isSet(String name) {
        return values.containsKey(name);
    }

    boolean isOn(String name) {
        var value = text(name).orElse("0");
        return switch (value) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> throw invalid("%s is \"%s\"; it must be 1 or 0".formatted(name, value));
        };
    }

    int number(String name, int defaultValue, int min, int max) {
        var value = text(name);
        if (value.isEmpty()) {
            return defaultValue;
        }
        try {
            int number = Integer.parseInt(value.get());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw invalid(
                "%s is \"%s\"; it must be a whole number from %d to %d"
                        .formatted(name, value.get(), min, max));
    }

    /** Returns a duration of at least {@code min} milliseconds. */
    Duration millis(String name, int defaultValue, int min) {
        return Duration.ofMillis(number(name, defaultValue, min, Integer.MAX_VALUE));
    }

    /** Returns a number from 1 to {@code max}, or 0 if the setting is absent. */
    int positive(String name, int max) {
        return number(name, 0, 1, max);
    }

    /** Returns the comma-separated values of the first of these settings that is set. */
    Set<String> list(String... names) {
        return Arrays.stream(names)
                .flatMap(name -> text(name).stream())
                .limit(1)
                .flatMap(value -> Arrays.stream(value.split(",")))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static ApiException invalid(String message) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, message);
    }
}
