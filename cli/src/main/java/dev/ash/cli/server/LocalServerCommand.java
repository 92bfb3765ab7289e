package dev.ash.cli.server;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Base class of subcommands for the local server process. */
abstract class LocalServerCommand extends AshCommand {
    @Option(
            names = "--data-dir",
            paramLabel = "DIRECTORY",
            description = "Data directory of the server. Default: that of the server started last.")
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
