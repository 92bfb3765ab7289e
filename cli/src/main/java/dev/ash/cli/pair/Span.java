package dev.ash.cli.pair;

import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How long something may take, as people write it: {@code 2h}, {@code 45m}, {@code 1h30m}. */
record Span(Duration length) {
    private static final Pattern FORM =
            Pattern.compile("(?:(\\d{1,6})h)?(?:(\\d{1,6})m)?(?:(\\d{1,6})s)?");

    static Span parse(String text) {
        var found = FORM.matcher(text.strip());
        if (text.isBlank() || !found.matches()) {
            throw new TypeConversionException(
                    "\"%s\" is no length of time; expected one such as 2h, 45m or 90s"
                            .formatted(text));
        }
        return new Span(
                Duration.ofHours(number(found.group(1)))
                        .plusMinutes(number(found.group(2)))
                        .plusSeconds(number(found.group(3))));
    }

    /** As short as it can be told. */
    static String words(long millis) {
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

    /** For options. */
    static final class Reader implements ITypeConverter<Span> {
        @Override
        public Span convert(String text) {
            return parse(text);
        }
    }
}
