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

/** What a command sees of the machine that it runs on. */
public record Host(
        Map<String, String> env,
        Path home,
        Path workingDirectory,
        Path dist,
        InputStream in,
        PrintStream out,
        PrintStream err,
        Terminals terminals) {

    /** Which of the three streams are a person's terminal. */
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

    /** A variable that is set to nothing counts as not set. */
    public String variable(String name, String otherwise) {
        return nonEmpty(env, name, otherwise);
    }

    public boolean isRoot() {
        return System.getProperty("user.name", "").equals("root");
    }

    public Path resolve(String path) {
        return workingDirectory.resolve(path).normalize();
    }

    private static String nonEmpty(Map<String, String> env, String name, String otherwise) {
        var value = env.getOrDefault(name, "");
        return value.isEmpty() ? otherwise : value;
    }

    /**
     * Always UTF-8: the locale of a bare container would turn every umlaut into a question mark.
     */
    private static PrintStream utf8(FileDescriptor descriptor) {
        var out = new BufferedOutputStream(new FileOutputStream(descriptor), 8 * 1024);
        return new PrintStream(out, false, StandardCharsets.UTF_8);
    }

    /** The launcher tells by {@code ash.terminals}; to ask the JDK costs much class loading. */
    private static Terminals realTerminals() {
        var told = System.getProperty("ash.terminals");
        if (told != null) {
            return new Terminals(told.contains("0"), told.contains("1"), told.contains("2"));
        }
        var isTerminal =
                Optional.ofNullable(System.console()).stream().anyMatch(Console::isTerminal);
        return new Terminals(isTerminal, isTerminal, isTerminal);
    }

    private static Path distribution() {
        var told = System.getProperty("ash.dist");
        if (told != null) {
            return Path.of(told);
        }
        try {
            var jar =
                    Path.of(Host.class.getProtectionDomain().getCodeSource().getLocation().toURI());
            var folder = jar.toAbsolutePath().getParent(); // dist/cli
            var dist = folder == null ? null : folder.getParent();
            return dist == null ? jar : dist;
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
