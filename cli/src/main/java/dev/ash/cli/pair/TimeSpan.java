package dev.ash.cli.pair;

import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A duration as a command-line argument: {@code 2h}, {@code 45m}, {@code 1h30m}. */
record TimeSpan(Duration length) {
    private static final Pattern FORMAT =
            Pattern.compile("(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,6})s)?");

    static TimeSpan parse(String text) {
        var found = FORMAT.matcher(text.strip());
        if (text.isBlank() || !found.matches()) {
            throw new TypeConversionException(
                    "invalid duration \"%s\": expected a duration such as 2h, 45m or 90s"
                            .formatted(text));
        }
        return new TimeSpan(
                Duration.ofHours(number(found.group(1)))
                        .plusMinutes(number(found.group(2)))
                        .plusSeconds(number(found.group(3))));
    }

    /** Formats a duration with its two largest units. */
    static String format(long millis) {
        var length = Duration.ofMillis(millis);
        if (length.toHours() > 0) {
            return "%d h %d min".formatted(length.toHours(), length.toMinutesPart());
        }
        return length.toMinutes() > 0
                ? "%d min %d s".formatted(length.toMinutes(), length.toSecondsPart())
                : "%d s".formatted(length.toSeconds());
    }

    long millis() {
        return length.toMillis();
    }

    private static long number(String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** Converts option values. */
    static final class Converter implements ITypeConverter<TimeSpan> {
        @Override
        public TimeSpan convert(String text) {
            return parse(text);
        }
    }
}
