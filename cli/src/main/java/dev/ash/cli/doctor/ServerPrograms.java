package dev.ash.cli.doctor;

import dev.ash.cli.command.Host;
import dev.ash.protocol.SystemDirectories;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds programs like the server: on the PATH, then in the standard directories. */
record ServerPrograms(Host host, SystemFiles files) {

    Optional<Path> find(String name) {
        var path = host.variable("PATH", "");
        return Stream.concat(
                        SystemDirectories.fromPath(path).map(Path::of),
                        SystemDirectories.DEFAULT.stream().map(files::path))
                .map(directory -> directory.resolve(name))
                .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
                .findFirst();
    }
}
