package dev.ash.cli.server;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Starts the server's process; in the background, in a new session that outlives the terminal. */
final class ServerLauncher {
    private final Host host;
    private final DataDirectory data;
    private final Map<String, String> settings;

    /** {@code settings} override the environment of this command. */
    ServerLauncher(Host host, DataDirectory data, Map<String, String> settings) {
        this.host = host;
        this.data = data;
        this.settings = settings;
    }

    /** {@code cache} are the JVM flags of an AOT cache. */
    Process startInBackground(List<String> cache) throws IOException {
        var command = new ArrayList<String>();
        detacher().ifPresent(command::add);
        command.addAll(serverCommand(cache));
        var log = ProcessBuilder.Redirect.appendTo(data.log().toFile());
        return builder(command)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(log)
                .redirectError(log)
                .start();
    }

    Process startInForeground(List<String> cache) throws IOException {
        return builder(serverCommand(cache)).inheritIO().start();
    }

    private ProcessBuilder builder(List<String> command) {
        var builder = new ProcessBuilder(command).directory(data.path().toFile());
        var env = new HashMap<>(host.env());
        env.putAll(settings);
        env.put("ASH_DATA_DIR", data.path().toString());
        // By default the C library keeps free memory in up to eight arenas per processor.
        env.putIfAbsent("MALLOC_ARENA_MAX", "2");
        builder.environment().clear();
        builder.environment().putAll(env);
        return builder;
    }

    private List<String> serverCommand(List<String> cache) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(HeapSize.flags(host, data, settings));
        command.addAll(cache);
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "-Dash.dist=" + host.dist(),
                        "-cp",
                        classPath(),
                        RunningServer.MAIN_CLASS));
        return command;
    }

    private String classPath() throws IOException {
        var directory = host.dist().resolve("server");
        if (!Files.isDirectory(directory)) {
            throw new CommandException(
                    "The server is not installed: %s is missing.".formatted(directory));
        }
        try (var jars = Files.list(directory)) {
            return jars.map(Path::toString)
                    .filter(name -> name.endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }

    /** Prefers {@code setsid}, which starts a new session, to {@code nohup}. */
    private Optional<String> detacher() {
        return Programs.find(host, "setsid")
                .or(() -> Programs.find(host, "nohup"))
                .map(Path::toString);
    }
}
