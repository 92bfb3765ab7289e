package dev.ash.server;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** The server's log: one line an event on standard error, which {@code ash start} makes a file. */
final class ServerLog {
    /** Held here, because a logger that nobody holds is collected, and its level with it. */
    private static final List<Logger> LIBRARIES = List.of(Logger.getLogger("org.eclipse.jetty"));

    /** Whatever it has to say of a failure, it throws too. */
    private static final Logger MIGRATIONS = Logger.getLogger("org.flywaydb");

    static void configure() {
        LogManager.getLogManager().reset();
        var handler = new ConsoleHandler();
        handler.setFormatter(new OneLine());
        handler.setLevel(Level.ALL);
        var root = Logger.getLogger("");
        root.addHandler(handler);
        root.setLevel(Level.INFO);
        LIBRARIES.forEach(library -> library.setLevel(Level.WARNING));
        MIGRATIONS.setLevel(Level.OFF);
    }

    private static final class OneLine extends Formatter {
        @Override
        public String format(LogRecord entry) {
            var line =
                    "%s %s %s: %s%n"
                            .formatted(
                                    entry.getInstant(),
                                    entry.getLevel(),
                                    entry.getLoggerName(),
                                    formatMessage(entry));
            if (entry.getThrown() == null) {
                return line;
            }
            var trace = new StringWriter();
            entry.getThrown().printStackTrace(new PrintWriter(trace));
            return line + trace;
        }
    }

    private ServerLog() {}
}
