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

/** Named settings: from the environment, else from {@code config.json} in the data directory. */
final class Settings {
    /** By this name {@code ash start} finds the warnings in the log and shows them. */
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
                values.put(
                        name,
                        text.isPresent()
                                ? text.get()
                                : json.raw(name).map(String::valueOf).orElse(""));
            }
        } catch (IOException e) {
            throw bad(file + " is not a JSON object of settings: " + e.getMessage());
        }
        return values;
    }

    Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name)).map(String::strip).filter(v -> !v.isEmpty());
    }

    /** Also if it is set to nothing. */
    boolean isSet(String name) {
        return values.containsKey(name);
    }

    boolean isOn(String name) {
        var value = text(name).orElse("0");
        return switch (value) {
            case "1", "true" -> true;
            case "0", "false" -> false;
            default -> throw bad("%s is \"%s\"; it must be 1 or 0".formatted(name, value));
        };
    }

    int number(String name, int otherwise, int min, int max) {
        var value = text(name);
        if (value.isEmpty()) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value.get());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // told below
        }
        throw bad(
                "%s is \"%s\"; it must be a whole number from %d to %d"
                        .formatted(name, value.get(), min, max));
    }

    /** A duration of at least {@code min} milliseconds. */
    Duration millis(String name, int otherwise, int min) {
        return Duration.ofMillis(number(name, otherwise, min, Integer.MAX_VALUE));
    }

    /** 0 if it is not set. */
    int positive(String name, int max) {
        return number(name, 0, 1, max);
    }

    /** The first of these names that is set, split at commas. */
    Set<String> list(String... names) {
        return Arrays.stream(names)
                .flatMap(name -> text(name).stream())
                .limit(1)
                .flatMap(value -> Arrays.stream(value.split(",")))
                .map(String::strip)
                .filter(value -> !value.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static ApiException bad(String sentence) {
        return new ApiException(ErrorCode.VALIDATION_FAILED, sentence);
    }
}
