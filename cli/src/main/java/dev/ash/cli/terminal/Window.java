package dev.ash.cli.terminal;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import java.util.List;

/** How much a person's terminal shows at once; without bounds where that is not known. */
public record Window(int columns, int rows) {
    private static final Window UNBOUNDED = new Window(Integer.MAX_VALUE, Integer.MAX_VALUE);

    public static Window of(Host host) {
        if (!host.terminals().out()) {
            return UNBOUNDED;
        }
        var told = host.variable("LINES", "0") + " " + host.variable("COLUMNS", "0");
        var window = parsed(told);
        // Not by the library for line editing: it asks terminals things that they may answer late.
        return window.columns < UNBOUNDED.columns
                ? window
                : parsed(Programs.run(host, List.of("sh", "-c", "stty size < /dev/tty")).output());
    }

    /** Rows and columns; a terminal that does not know its size says that it has none. */
    static Window parsed(String size) {
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
