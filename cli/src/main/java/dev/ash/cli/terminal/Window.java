package dev.ash.cli.terminal;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import java.util.List;

/** Size of the terminal window; unbounded if unknown. */
public record Window(int columns, int rows) {
    private static final Window UNBOUNDED = new Window(Integer.MAX_VALUE, Integer.MAX_VALUE);

    public static Window of(Host host) {
        if (!host.terminals().out()) {
            return UNBOUNDED;
        }
        var variables = host.variable("LINES", "0") + " " + host.variable("COLUMNS", "0");
        var window = parse(variables);
        // Not with the line editing library, whose terminal queries may be answered late.
        return window.columns < UNBOUNDED.columns
                ? window
                : parse(Programs.run(host, List.of("sh", "-c", "stty size < /dev/tty")).output());
    }

    /** Parses rows and columns; zero means unknown. */
    static Window parse(String size) {
        if (!size.matches("\\d{1,6} \\d{1,6}")) {
            return UNBOUNDED;
        }
        var numbers = size.split(" ", -1);
        return new Window(bound(numbers[1]), bound(numbers[0]));
    }

    private static int bound(String number) {
        int value = Integer.parseInt(number);
        return value == 0 ? UNBOUNDED.columns : value;
    }
}
