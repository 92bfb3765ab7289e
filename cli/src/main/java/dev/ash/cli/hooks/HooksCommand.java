package dev.ash.cli.hooks;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
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

/** Base class of subcommands that use the hooks in a settings file of Claude Code. */
abstract class HooksCommand extends AshCommand {
    private static final Set<PosixFilePermission> PRIVATE =
            PosixFilePermissions.fromString("rw-------");

    @Option(
            names = "--settings",
            paramLabel = "FILE",
            description = "Settings file of Claude Code. Default: the user's settings.")
    @Nullable String settings;

    HooksCommand(Host host) {
        super(host);
    }

    final Path file() {
        if (settings != null) {
            return host.resolve(settings);
        }
        var directory =
                host.variable("CLAUDE_CONFIG_DIR", host.home().resolve(".claude").toString());
        return host.resolve(directory).resolve("settings.json");
    }

    final HookProgram program() {
        return new HookProgram(host.home().resolve(".ash"));
    }

    final HookSettings load() {
        return parse(read());
    }

    private HookSettings parse(String text) {
        try {
            return HookSettings.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandException(
                    "Cannot change %s safely: %s. Correct it first; nothing was written."
                            .formatted(file(), e.getMessage()));
        }
    }

    private String read() {
        try {
            return Files.readString(file());
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            throw new CommandException("Cannot read %s (%s).".formatted(file(), IoReason.of(e)));
        }
    }

    /** Writes changed settings atomically, following a link; returns whether they changed. */
    final boolean save(HookSettings changed) {
        var before = read();
        if (changed.text().equals(before)) {
            return false;
        }
        try {
            var target = Files.exists(file()) ? file().toRealPath() : file();
            var directory = target.resolveSibling(".").normalize();
            Files.createDirectories(directory);
            var isNew = !Files.exists(target);
            var permissions = isNew ? PRIVATE : Files.getPosixFilePermissions(target);
            // Back up only a file without hooks of Ash: the state before the first change.
            if (!isNew && parse(before).installed().isEmpty()) {
                Files.copy(
                        target,
                        target.resolveSibling(target.getFileName() + ".before-ash"),
                        StandardCopyOption.REPLACE_EXISTING,
                        StandardCopyOption.COPY_ATTRIBUTES);
            }
            var temporary =
                    Files.createTempFile(
                            directory,
                            "settings",
                            ".json",
                            PosixFilePermissions.asFileAttribute(PRIVATE));
            Files.writeString(temporary, changed.text());
            Files.setPosixFilePermissions(temporary, permissions);
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } catch (IOException e) {
            throw new CommandException("Cannot write %s (%s).".formatted(file(), IoReason.of(e)));
        }
    }
}
