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

/** Configures logging: one line per record on standard error, redirected by {@code ash start}. */
final class ServerLog {
    /** Strong references: a logger that is garbage collected loses its level. */
    private static final List<Logger> LIBRARIES = List.of(Logger.getLogger("org.eclipse.jetty"));

    /**
     * Off, because their failures are thrown as exceptions too. The loader of SQLite also logs a
     * stack trace when two servers that start at the same time delete the same stale library.
     */
    private static final List<Logger> SILENT =
            List.of(
                    Logger.getLogger("org.flywaydb"),
                    Logger.getLogger("org.sqlite.SQLiteJDBCLoader"));

    static void configure() {
        LogManager.getLogManager().reset();
        var handler = new ConsoleHandler();
        handler.setFormatter(new OneLine());
        handler.setLevel(Level.ALL);
        var root = Logger.getLogger("");
        root.addHandler(handler);
        root.setLevel(Level.INFO);
        LIBRARIES.forEach(library -> library.setLevel(Level.WARNING));
        SILENT.forEach(library -> library.setLevel(Level.OFF));
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
