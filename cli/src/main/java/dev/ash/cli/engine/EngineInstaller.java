package dev.ash.cli.engine;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Progress;
import dev.ash.protocol.engine.EngineProfile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;

/**
 * Installs the tested package of an engine below the data directory. The packages are installed in
 * a temporary directory, which is renamed when it is complete.
 */
final class EngineInstaller {
    private final Host host;
    private final Path dataDirectory;
    private final Consumer<String> notes;

    /** {@code notes} receives messages about the progress. */
    EngineInstaller(Host host, Path dataDirectory, Consumer<String> notes) {
        this.host = host;
        this.dataDirectory = dataDirectory;
        this.notes = notes;
    }

    /** Returns the installed engine; does nothing if it is installed already. */
    LocalEngine install(EngineProfile engine) {
        var local =
                new LocalEngine(engine, engine.program().orElseThrow(), host, dataDirectory);
        var target = dataDirectory.resolve(engine.installDirectory());
        var parent = target.resolveSibling("");
        try {
            Files.createDirectories(parent);
            try (var channel =
                            FileChannel.open(
                                    parent.resolve("lock"),
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.WRITE);
                    var lock = channel.tryLock()) {
                if (lock == null) {
                    throw new CommandException(
                            "Another `ash engines install` is running; wait until it ends.");
                }
                deletePartial(parent);
                if (Files.isExecutable(local.installedByAsh())) {
                    notes.accept("%s is installed already.".formatted(describe(local)));
                } else {
                    install(local, target);
                    deleteOtherVersions(engine, target);
                }
            }
        } catch (IOException e) {
            throw new CommandException(
                    "Cannot install %s in %s: %s."
                            .formatted(describe(local), parent, IoReason.of(e)));
        }
        return local;
    }

    private void install(LocalEngine local, Path target) throws IOException {
        var draft = Files.createTempDirectory(target.resolveSibling(""), ".draft-");
        try {
            var npm = new Npm(host, draft);
            notes.accept("Installing %s …".formatted(describe(local)));
            try (var progress = new Progress(host, "downloading")) {
                npm.installLocked(local.engine().name().value(), progress::tick);
            }
            var version = version(local, draft);
            // Readable for the users of sandboxes, which a temporary directory is not.
            FileTrees.setReadable(draft);
            FileTrees.delete(target); // incomplete: its program is missing
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            notes.accept("Installed %s.".formatted(version));
        } finally {
            FileTrees.delete(draft);
        }
    }

    private static String version(LocalEngine local, Path draft) {
        var program = draft.resolve("node_modules/.bin").resolve(local.program().command());
        if (!Files.isExecutable(program)) {
            throw new CommandException(
                    "npm installed %s, but not its program %s; it may not be available for this machine."
                            .formatted(describe(local), program.getFileName()));
        }
        var result = local.version(program);
        if (result.exitCode() != 0) {
            throw new CommandException(
                    "%s was downloaded, but does not run on this machine: %s"
                            .formatted(describe(local), Printable.abbreviate(result.output(), 500)));
        }
        return Printable.abbreviate(result.output(), 100);
    }

    private static String describe(LocalEngine local) {
        return "%s (%s %s)"
                .formatted(
                        local.engine().product(),
                        local.program().npmPackage(),
                        local.program().version());
    }

    /** Deletes what installations left that were interrupted. */
    private static void deletePartial(Path parent) throws IOException {
        for (var directory : FileTrees.children(parent, ".draft-*")) {
            FileTrees.delete(directory);
        }
    }

    /** A server that uses one of them has its own links to the files. */
    private static void deleteOtherVersions(EngineProfile engine, Path target) throws IOException {
        for (var directory : others(engine, target)) {
            FileTrees.delete(directory);
        }
    }

    private static List<Path> others(EngineProfile engine, Path target) throws IOException {
        var prefix = engine.name() + "-";
        return FileTrees.children(target.resolveSibling(""), prefix + "[0-9]*").stream()
                .filter(directory -> !directory.equals(target))
                .toList();
    }
}
