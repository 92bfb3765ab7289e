package dev.ash.cli;

import dev.ash.cli.command.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;

/**
 * The part of {@link AotTraining} for {@code ash start}: starts a process that exits immediately,
 * because the installation has no server.
 */
final class StartAotTraining {
    private StartAotTraining() {}

    static void run(Host quiet) throws IOException {
        var directory = Files.createTempDirectory("ash-training");
        try {
            Files.createDirectories(directory.resolve("dist/server"));
            var env = new HashMap<>(quiet.env());
            env.put("ASH_DATA_DIR", directory.resolve("data").toString());
            var host =
                    new Host(
                            env,
                            directory,
                            directory,
                            directory.resolve("dist"),
                            quiet.in(),
                            quiet.out(),
                            quiet.err(),
                            Host.Terminals.NONE);
            Main.run(host, "start");
        } finally {
            McpAotTraining.delete(directory);
        }
    }
}
