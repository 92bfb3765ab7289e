package dev.ash.cli.command;

import java.io.BufferedOutputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** The environment of a command: variables, directories, standard streams and terminals. */
public record Host(
        Map<String, String> env,
        Path home,
        Path workingDirectory,
        Path dist,
        InputStream in,
        PrintStream out,
        PrintStream err,
        Terminals terminals) {

    /** Whether each standard stream is a terminal. */
    public record Terminals(boolean in, boolean out, boolean err) {
        public static final Terminals NONE = new Terminals(false, false, false);
    }

    public static Host real() {
        var env = System.getenv();
        return new Host(
                env,
                Path.of(nonEmpty(env, "HOME", System.getProperty("user.home"))),
                Path.of("").toAbsolutePath(),
                distribution(),
                System.in,
                utf8(FileDescriptor.out),
                utf8(FileDescriptor.err),
                realTerminals());
    }

    /** Returns a variable, or the default if it is unset or empty. */
    public String variable(String name, String defaultValue) {
        return nonEmpty(env, name, defaultValue);
    }

    public boolean isRoot() {
        return System.getProperty("user.name", "").equals("root");
    }

    public Path resolve(String path) {
        return workingDirectory.resolve(path).normalize();
    }

    private static String nonEmpty(Map<String, String> env, String name, String defaultValue) {
        var value = env.getOrDefault(name, "");
        return value.isEmpty() ? defaultValue : value;
    }

    /**
     * Returns a UTF-8 stream: the locale of a minimal container would replace non-ASCII characters.
     */
    private static PrintStream utf8(FileDescriptor descriptor) {
        var out = new BufferedOutputStream(new FileOutputStream(descriptor), 8 * 1024);
        return new PrintStream(out, false, StandardCharsets.UTF_8);
    }

    /** Reads {@code ash.terminals} of the launcher, because the JDK's check loads many classes. */
    private static Terminals realTerminals() {
        var property = System.getProperty("ash.terminals");
        if (property != null) {
            return new Terminals(
                    property.contains("0"), property.contains("1"), property.contains("2"));
        }
        var isTerminal =
                Optional.ofNullable(System.console()).stream().anyMatch(Console::isTerminal);
        return new Terminals(isTerminal, isTerminal, isTerminal);
    }

    private static Path distribution() {
        var property = System.getProperty("ash.dist");
        if (property != null) {
            return Path.of(property);
        }
        try {
            var jar =
                    Path.of(Host.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            var cliDirectory = jar.toAbsolutePath().getParent(); // dist/cli
            var dist = cliDirectory == null ? null : cliDirectory.getParent();
            return dist == null ? jar : dist;
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
