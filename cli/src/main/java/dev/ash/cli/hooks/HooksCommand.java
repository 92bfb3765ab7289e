package dev.ash.cli.hooks;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A subcommand about the hooks in a settings file of Claude Code. */
abstract class HooksCommand extends AshCommand {
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");

    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "Claude Code's settings, if not those of the user.")
    @Nullable String settings;

    HooksCommand(Host host) {
        super(host);
    }

    final Path file() {
        if (settings != null) {
            return host.resolve(settings);
        }
        var folder = host.variable("CLAUDE_CONFIG_DIR", host.home().resolve(".claude").toString());
        return host.resolve(folder).resolve("settings.json");
    }

    final HookProgram program() {
        return new HookProgram(host.home().resolve(".ash"));
    }

    final HookSettings load() {
        return parsed(read());
    }

    private HookSettings parsed(String text) {
        try {
            return HookSettings.parse(text);
        } catch (IllegalArgumentException e) {
            throw new Failure(
                    "%s cannot be changed safely: %s. Mend it first; nothing was written."
                            .formatted(file(), e.getMessage()));
        }
    }

    private String read() {
        try {
            return Files.readString(file());
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            throw new Failure("%s cannot be read (%s).".formatted(file(), IoReason.of(e)));
        }
    }

    /** Writes what changed, whole or not at all, through a link to where the file really is. */
    final boolean save(HookSettings changed) {
        var before = read();
        if (changed.text().equals(before)) {
            return false;
        }
        try {
            var target = Files.exists(file()) ? file().toRealPath() : file();
            var folder = target.resolveSibling(".").normalize();
            Files.createDirectories(folder);
            var isNew = !Files.exists(target);
            var permissions = isNew ? PRIVATE : Files.getPosixFilePermissions(target);
            // A backup is a file without us in it: the one of the first of several changes.
            if (!isNew && parsed(before).installed().isEmpty()) {
                Files.copy(
                        target,
                        target.resolveSibling(target.getFileName() + ".before-ash"),
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
            var draft =
                    Files.createTempFile(
                            folder,
                            "settings",
                            ".json",
                            PosixFilePermissions.asFileAttribute(PRIVATE));
            Files.writeString(draft, changed.text());
            Files.setPosixFilePermissions(draft, permissions);
            Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException e) {
            throw new Failure("%s cannot be written (%s).".formatted(file(), IoReason.of(e)));
        }
    }
}
