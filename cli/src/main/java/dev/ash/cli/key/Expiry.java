package dev.ash.cli.key;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/** Parses the value of {@code --expires}. */
final class Expiry {
    private static final Pattern PERIOD = Pattern.compile("([1-9][0-9]{0,5})([mhd])");

    /** Converts a period from now to a time; returns a time unchanged, for the server to check. */
    static String parse(String text, Instant now) {
        var period = PERIOD.matcher(text);
        if (period.matches()) {
            long count = Long.parseLong(period.group(1));
            var length =
                    switch (period.group(2)) {
                        case "m" -> Duration.ofMinutes(count);
                        case "h" -> Duration.ofHours(count);
                        default -> Duration.ofDays(count);
                    };
            return now.plus(length).truncatedTo(ChronoUnit.SECONDS).toString();
        }
        if (text.contains("T")) {
            return text;
        }
        throw new CommandException(
                ExitCode.USAGE,
                "Invalid --expires \"%s\": expected a period such as 30m, 12h or 30d, or a time such as 2031-05-01T12:00:00Z."
                        .formatted(text));
    }

    private Expiry() {}
}
