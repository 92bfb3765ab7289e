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
 * Home directories. They hold keys and the settings of every program, so no client works in one or
 * deploys one, whatever the roots are.
 *
 * @param ofServer those of the server's own user
 * @param accounts the host's list of users, in the format of {@code /etc/passwd}
 */
record Homes(List<Path> ofServer, Path accounts) {
    private static final int FIRST_PERSON = 1000;
    private static final int NOBODY = 65534;

    static Homes of(Map<String, String> environment) {
        var known =
                Stream.of(environment.getOrDefault("HOME", ""), System.getProperty("user.home", ""))
                        .flatMap(home -> folder(home).stream())
                        .toList();
        return new Homes(known, Path.of("/etc/passwd"));
    }

    /** Whether the folder is a home directory, or one lies in it. */
    boolean liesIn(Path folder) {
        return Stream.concat(ofServer.stream(), ofPeople().stream())
                .anyMatch(home -> home.startsWith(folder) || real(home).startsWith(folder));
    }

    /** The home of one user; the first entry counts, as for the system. */
    Optional<Path> ofUser(int uid) {
        try (var lines = Files.lines(accounts, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length >= 6)
                    .filter(fields -> fields[2].equals(Integer.toString(uid)))
                    .findFirst()
                    .flatMap(fields -> folder(fields[5]));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Not those of services: often these are folders like {@code /var/www}. */
    private List<Path> ofPeople() {
        try (var lines = Files.lines(accounts, StandardCharsets.ISO_8859_1)) {
            return lines.map(line -> line.split(":", -1))
                    .filter(fields -> fields.length >= 6 && isPerson(fields[2]))
                    .flatMap(fields -> folder(fields[5]).stream())
                    .toList();
        } catch (IOException e) {
            return List.of(); // a host without that list
        }
    }

    private static boolean isPerson(String uid) {
        try {
            int number = Integer.parseInt(uid);
            return number == 0 || (number >= FIRST_PERSON && number != NOBODY);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** The root directory is what an account without a home has. */
    private static Optional<Path> folder(String home) {
        try {
            return Optional.of(home)
                    .filter(path -> path.startsWith("/"))
                    .map(path -> Path.of(path).normalize())
                    .filter(path -> path.getNameCount() > 0);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private static Path real(Path home) {
        try {
            return home.toRealPath();
        } catch (IOException e) {
            return home;
        }
    }
}
