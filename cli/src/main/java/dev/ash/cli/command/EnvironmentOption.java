package dev.ash.cli.command;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses the values of {@code -e NAME=VALUE}. */
public final class EnvironmentOption {
    private EnvironmentOption() {}

    public static Map<String, String> parse(List<String> assignments) {
        var env = new LinkedHashMap<String, String>();
        for (var assignment : assignments) {
            int equals = assignment.indexOf('=');
            if (equals < 1) {
                throw new CommandException(
                        ExitCode.USAGE, "-e %s: expected NAME=VALUE".formatted(assignment));
            }
            env.put(assignment.substring(0, equals), assignment.substring(equals + 1));
        }
        return env;
    }
}
