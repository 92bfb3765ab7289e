package dev.ash.cli.pair;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

/** The repository that a pair is about, as it is on this machine. */
record PairRepository(Path folder, Repository found) {
    static PairRepository of(Host host, String folder) {
        var path = host.resolve(folder);
        try {
            return new PairRepository(path, Repository.of(path));
        } catch (IOException e) {
            throw new Failure(
                    ExitCode.USAGE,
                    "The folder %s cannot be read: %s.".formatted(path, IoReason.of(e)));
        }
    }

    /** What servers call the run of this number. */
    String pairId(String number) {
        return found.id() + "-" + number;
    }

    PairRepository required() {
        if (!Files.exists(found.top().resolve(".git"))) {
            throw new Failure(
                    ExitCode.USAGE,
                    "%s is not in a git repository. Go to one, name one with --repo, or make it one: git init, and a first commit."
                            .formatted(folder));
        }
        return this;
    }

    /** A warning about changes that a run does not include. */
    Optional<String> uncommitted(Host host) {
        var command =
                List.of(
                        "git",
                        "--no-optional-locks",
                        "-C",
                        found.top().toString(),
                        "status",
                        "--porcelain",
                        "--ignore-submodules=dirty");
        var answer = Programs.run(host, command);
        long count = answer.exitCode() == 0 ? answer.output().lines().count() : 0;
        return UncommittedChanges.warning(count).map(text -> text + ".");
    }

    /** Opens it to the server on this machine, if that is this user's. */
    void open(Host host, Consumer<String> note) {
        var data = DataDirectory.lastUsed(host, UserConfig.load(host));
        int port = URI.create(Connection.find(host).url()).getPort(); // of one just started, too
        if (RunningServer.find(data).filter(server -> server.port() == port).isEmpty()) {
            return; // somebody else's, who decides
        }
        var common = found.commonGitDirectory();
        Stream.of(found.top(), common.startsWith(found.top()) ? found.top() : common)
                .distinct()
                .filter(needed -> !isOpenByDefault(host, needed))
                .filter(data::openToPairs)
                .forEach(
                        opened ->
                                note.accept(
                                        "%s is open to pairs of this server from now on."
                                                .formatted(Printable.line(opened.toString()))));
    }

    /** A server of a person's has its home open, without what is hidden there. */
    private static boolean isOpenByDefault(Host host, Path folder) {
        var home = real(host.home());
        return !host.isRoot()
                && folder.startsWith(home)
                && !folder.equals(home)
                && !home.relativize(folder).getName(0).toString().startsWith(".");
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException e) {
            return path.normalize();
        }
    }
}
