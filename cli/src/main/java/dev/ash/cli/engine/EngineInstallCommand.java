package dev.ash.cli.engine;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.protocol.json.JsonWriter;
import java.nio.file.Files;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash engines install}. */
@Command(
        name = "install",
        description = "Install the tested version of an engine for the server on this machine.",
        footer = {
            "Uses npm with the versions and checksums that are part of Ash, and runs no scripts",
            "of the packages. A running server finds the program after a restart."
        })
final class EngineInstallCommand extends AshCommand {
    @Parameters(paramLabel = "NAME", description = "The engine's name, such as codex.")
    String name = "";

    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "The server's data directory. Default: that of the last start.")
    @Nullable String dataDir;

    EngineInstallCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var engine = engine();
        var data =
                dataDir == null
                        ? DataDirectory.lastUsed(host, UserConfig.load(host))
                        : new DataDirectory(host.resolve(dataDir));
        data.create();
        var installed = new EngineInstaller(host, data.path(), this::note).install(engine);
        print(
                JsonWriter.object()
                        .put("name", engine.name().value())
                        .put("version", installed.program().version())
                        .put("path", installed.installedByAsh().toString())
                        .end(),
                installed.installedByAsh().toString());
        if (Files.exists(data.pidFile())) {
            note("A running server finds it after a restart: ash stop, ash start");
        }
        return ExitCode.OK;
    }

    private EngineProfile engine() {
        var table = EngineTable.builtIn();
        var found = table.find(name);
        if (found.isPresent() && found.get().isInstallable()) {
            return found.get();
        }
        var installable =
                table.all().stream()
                        .filter(EngineProfile::isInstallable)
                        .map(engine -> engine.name().value())
                        .collect(Collectors.joining(", "));
        if (found.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "There is no built-in engine \"%s\". Expected one of %s."
                            .formatted(name, installable));
        }
        var command = found.get().installCommand();
        throw new CommandException(
                ExitCode.USAGE,
                command.isEmpty()
                        ? "%s is part of Ash and need not be installed."
                                .formatted(found.get().product())
                        : "Ash has no tested version of %s. Install it with: %s"
                                .formatted(found.get().product(), command));
    }
}
