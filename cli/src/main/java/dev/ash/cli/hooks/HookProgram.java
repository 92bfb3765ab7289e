package dev.ash.cli.hooks;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.IoReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * The hook script that Claude Code runs, and the file with its URL and token. They are not passed
 * as arguments, which every user of the machine can read.
 */
record HookProgram(Path directory) {
    Path script() {
        return directory.resolve(HookSettings.PROGRAM);
    }

    Path settings() {
        return directory.resolve("hook.conf");
    }

    /** Returns a shell command: {@code '/home/me/.ash/ash-hook' ask}. */
    String command(String argument) {
        var quoted = "'" + script().toString().replace("'", "'\\''") + "'";
        return argument.isEmpty() ? quoted : quoted + " " + argument;
    }

    boolean isInstalled() {
        return Files.isExecutable(script()) && Files.isReadable(settings());
    }

    /** {@code certificate} is the self-signed certificate of a local server. */
    void write(String url, Optional<Path> certificate, String token, int waitSeconds) {
        try {
            Files.createDirectories(directory);
            write(settings(), configuration(url, certificate, token), "rw-------");
            write(script(), source().replace("@WAIT@", Integer.toString(waitSeconds)), "rwx------");
        } catch (IOException e) {
            throw new CommandException("Cannot write %s (%s).".formatted(script(), IoReason.of(e)));
        }
    }

    /** Returns false if the program reports to another server. */
    boolean replaceToken(String url, String token) throws IOException {
        var before = Files.readString(settings());
        if (!before.contains(urlLine(url))) {
            return false;
        }
        var header = Matcher.quoteReplacement(headerLine(token).strip());
        write(
                settings(),
                before.replaceAll("(?m)^header = \"Authorization: [^\"]*\"$", header),
                "rw-------");
        return true;
    }

    private static String urlLine(String url) {
        return "url = \"%s/hooks/event\"\n".formatted(url.replaceAll("/+$", ""));
    }

    private static String headerLine(String token) {
        return "header = \"Authorization: Bearer %s\"\n".formatted(token);
    }

    void delete() {
        try {
            Files.deleteIfExists(script());
            Files.deleteIfExists(settings());
        } catch (IOException e) {
            throw new CommandException(
                    "Cannot delete %s (%s).".formatted(script(), IoReason.of(e)));
        }
    }

    private static String configuration(String url, Optional<Path> certificate, String token) {
        var conf =
                "# Configuration of curl, which ash-hook runs. The token is from the server's hook-token file.\n"
                        + urlLine(url)
                        + headerLine(token)
                        + certificate.map(HookProgram::authority).orElse("");
        return Connection.isLoopback(url) ? conf + "noproxy = \"*\"\n" : conf;
    }

    private static String authority(Path certificate) {
        var quoted = certificate.toString().replace("\\", "\\\\").replace("\"", "\\\"");
        return "cacert = \"%s\"\n".formatted(quoted);
    }

    private static void write(Path file, String text, String permissions) throws IOException {
        var temporary =
                Files.createTempFile(
                        file.resolveSibling("."),
                        "hook",
                        "",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(temporary, text);
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString(permissions));
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static String source() throws IOException {
        try (var in = HookProgram.class.getResourceAsStream("ash-hook.sh")) {
            if (in == null) {
                throw new IOException("ash-hook.sh is missing from the distribution");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
