package dev.ash.cli.server;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** A subcommand about the server process of this machine. */
abstract class LocalServerCommand extends AshCommand {
    @Option(
            names = "--data-dir",
            paramLabel = "FOLDER",
            description = "The server's data, if not the one started last.")
    @Nullable String dataDir;

    LocalServerCommand(Host host) {
        super(host);
    }

    final DataDirectory data() {
        return dataDir == null
                ? DataDirectory.lastUsed(host, UserConfig.load(host))
                : new DataDirectory(host.resolve(dataDir));
    }
}
