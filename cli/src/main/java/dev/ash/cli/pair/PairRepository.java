package dev.ash.cli.pair;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.command.Programs;
import dev.ash.cli.command.UserConfig;
import dev.ash.cli.server.RunningServer;
import dev.ash.cli.terminal.Printable;
import dev.ash.pair.run.Repository;
import dev.ash.pair.run.UncommittedChanges;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The local repository of a pair run. */
record PairRepository(Path directory, Repository repository) {
    static PairRepository of(Host host, String directory) {
        var path = host.resolve(directory);
        try {
            return new PairRepository(path, Repository.of(path));
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "Cannot read directory %s: %s.".formatted(path, IoReason.of(e)));
        }
    }

    /** Returns the server's id for the run with this number. */
    String pairId(String number) {
        return repository.id() + "-" + number;
    }

    PairRepository requireGit() {
        if (!Files.exists(repository.top().resolve(".git"))) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "%s is not in a git repository. Change to one, specify one with --repo, or create one with git init and a first commit."
                            .formatted(directory));
        }
        return this;
    }

    /** Returns a warning about uncommitted changes, which a run does not include. */
    Optional<String> uncommittedWarning(Host host) {
        var command =
                List.of(
                        "git",
                        "--no-optional-locks",
                        "-C",
                        repository.top().toString(),
                        "status",
                        "--porcelain",
                        "--ignore-submodules=dirty");
        var result = Programs.run(host, command);
        long count = result.exitCode() == 0 ? result.output().lines().count() : 0;
        return UncommittedChanges.warning(count).map(text -> text + ".");
    }

    /** Allows pairs of the local server to use the repository, if the server is this user's. */
    void allow(Host host, Consumer<String> note) {
        var data = DataDirectory.lastUsed(host, UserConfig.load(host));
        int port =
                URI.create(Connection.find(host).url()).getPort(); // also of a server just started
        if (RunningServer.find(data).filter(server -> server.port() == port).isEmpty()) {
            return; // another user's server, which decides
        }
        var common = repository.commonGitDirectory();
        Stream.of(repository.top(), common.startsWith(repository.top()) ? repository.top() : common)
                .distinct()
                .filter(path -> !isAllowedByDefault(host, path))
                .filter(data::allowPairs)
                .forEach(
                        added ->
                                note.accept(
                                        "Pairs of this server may now use %s."
                                                .formatted(Printable.line(added.toString()))));
    }

    /** An unprivileged server allows its user's home, except hidden directories. */
    private static boolean isAllowedByDefault(Host host, Path directory) {
        var home = real(host.home());
        return !host.isRoot()
                && directory.startsWith(home)
                && !directory.equals(home)
                && !home.relativize(directory).getName(0).toString().startsWith(".");
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.normalize();
        }
    }
}
