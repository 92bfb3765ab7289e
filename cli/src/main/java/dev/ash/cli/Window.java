package dev.ash.cli;

import java.io.IOException;
import org.jline.terminal.Size;
import org.jline.terminal.TerminalBuilder;

/** How much a person's terminal shows at once; without bounds where that is not known. */
record Window(int columns, int rows) {
    private static final int UNBOUNDED = Integer.MAX_VALUE;

    static Window of(Host host) {
        if (!host.terminals().out()) {
            return new Window(UNBOUNDED, UNBOUNDED);
        }
        var told = new Window(number(host, "COLUMNS"), number(host, "LINES"));
        if (told.columns < UNBOUNDED) {
            return told;
        }
        try (var terminal = TerminalBuilder.builder().name("ash").system(true).dumb(true).build()) {
            return of(terminal.getSize());
        } catch (IOException e) {
            return told;
        }
    }

    /** A terminal that does not know its size says that it has none. */
    private static Window of(Size size) {
        return new Window(
                size.getColumns() > 0 ? size.getColumns() : UNBOUNDED,
                size.getRows() > 0 ? size.getRows() : UNBOUNDED);
    }

    private static int number(Host host, String variable) {
        var value = host.variable(variable, "");
        return value.matches("[1-9]\\d{0,5}") ? Integer.parseInt(value) : UNBOUNDED;
    }
}
