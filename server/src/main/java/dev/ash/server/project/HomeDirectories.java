package dev.ash.server.project;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the home directories of the host's users. They hold keys and the settings of every program,
 * so clients can neither work in one nor deploy one, independent of the configured roots.
 *
 * @param ofServer home directories of the server's own user
 * @param accounts the host's list of users, in the format of {@code /etc/passwd}
 */
record HomeDirectories(List<Path> ofServer, Path accounts) {
    private static final int FIRST_PERSONAL_UID = 1000;
    private static final int NOBODY_UID = 65534;

    static HomeDirectories of(Map<String, String> environment) {
        var homes =
                Stream.of(environment.getOrDefault("HOME", ""), System.getProperty("user.home", ""))
                        .flatMap(home -> parse(home).stream())
                        .toList();
        return new HomeDirectories(homes, Path.of("/etc/passwd"));
    }

    /** Whether the directory is a home directory or contains one. */
    boolean isOrContainsHome(Path directory) {
        return Stream.concat(ofServer.stream(), ofPeople().stream())
                .anyMatch(
                        home -> home.startsWith(directory) || realPath(home).startsWith(directory));
    }

    /** Returns the home directory in a user's first entry, as the system does. */
    Optional<Path> ofUser(int uid) {
        try (var lines = Files.lines(accounts, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length >= 6)
                    .filter(fields -> fields[2].equals(Integer.toString(uid)))
                    .findFirst()
                    .flatMap(fields -> parse(fields[5]));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Excludes service accounts, whose homes are often directories like {@code /var/www}. */
    private List<Path> ofPeople() {
        try (var lines = Files.lines(accounts, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length >= 6 && isPerson(fields[2]))
                    .flatMap(fields -> parse(fields[5]).stream())
                    .toList();
        } catch (IOException e) {
            return List.of(); // the host has no such file
        }
    }

    private static boolean isPerson(String uid) {
        try {
            int number = Integer.parseInt(uid);
            return number == 0 || (number >= FIRST_PERSONAL_UID && number != NOBODY_UID);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Ignores {@code /}, which accounts without a home directory have. */
    private static Optional<Path> parse(String home) {
        try {
            return Optional.of(home)
                    .filter(path -> path.startsWith("/"))
                    .map(path -> Path.of(path).normalize())
                    .filter(path -> path.getNameCount() > 0);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static Path realPath(Path home) {
        try {
            return home.toRealPath();
        } catch (IOException e) {
            return home;
        }
    }
}
