package dev.ash.cli.hooks;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.Failure;
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
 * The little program that Claude Code runs, and beside it the address and the token it uses: in a
 * file, because arguments can be read by every user of the machine.
 */
record HookProgram(Path folder) {
    Path script() {
        return folder.resolve(HookSettings.PROGRAM);
    }

    Path settings() {
        return folder.resolve("hook.conf");
    }

    /** A command for a shell: {@code '/home/me/.ash/ash-hook' ask}. */
    String command(String word) {
        var quoted = "'" + script().toString().replace("'", "'\\''") + "'";
        return word.isEmpty() ? quoted : quoted + " " + word;
    }

    boolean isThere() {
        return Files.isExecutable(script()) && Files.isReadable(settings());
    }

    /** {@code certificate}: of a server on this machine that made its own. */
    void write(String url, Optional<Path> certificate, String token, int waitSeconds) {
        try {
            Files.createDirectories(folder);
            put(settings(), conf(url, certificate, token), "rw-------");
            put(script(), source().replace("@WAIT@", Integer.toString(waitSeconds)), "rwx------");
        } catch (IOException e) {
            throw new Failure("%s cannot be written (%s).".formatted(script(), IoReason.of(e)));
        }
    }

    /** False if the program reports to another server. */
    boolean replaceToken(String url, String token) throws IOException {
        var before = Files.readString(settings());
        if (!before.contains(urlLine(url))) {
            return false;
        }
        var header = Matcher.quoteReplacement(headerLine(token).strip());
        put(
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
            throw new Failure("%s cannot be deleted (%s).".formatted(script(), IoReason.of(e)));
        }
    }

    private static String conf(String url, Optional<Path> certificate, String token) {
        var conf =
                "# For curl, as ash-hook runs it. The token is that of the server's hook-token.\n"
                        + urlLine(url)
                        + headerLine(token)
                        + certificate.map(HookProgram::authority).orElse("");
        return Connection.isLoopback(url) ? conf + "noproxy = \"*\"\n" : conf;
    }

    private static String authority(Path certificate) {
        var quoted = certificate.toString().replace("\\", "\\\\").replace("\"", "\\\"");
        return "cacert = \"%s\"\n".formatted(quoted);
    }

    private static void put(Path file, String text, String permissions) throws IOException {
        var draft =
                Files.createTempFile(
                        file.resolveSibling("."),
                        "hook",
                        "",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(draft, text);
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString(permissions));
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
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
