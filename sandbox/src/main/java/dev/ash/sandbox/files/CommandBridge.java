package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.LaunchScript;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A third-party bridge, given as a command line. An argument with a slash that names a file or
 * directory of the host outside {@code /usr} is copied below the data directory and mounted in the
 * sandbox at {@code /opt/ash} under its own name; all other arguments are passed unchanged.
 */
public record CommandBridge(Path directory, List<Argument> arguments) implements BridgeProgram {
    /** Either literal text, or the name of a file in the directory. */
    record Argument(String text, boolean isInDirectory) {
        String at(Path root) {
            return isInDirectory ? root.resolve(text).toString() : text;
        }
    }

    public CommandBridge {
        arguments = List.copyOf(arguments);
    }

    public static CommandBridge prepare(List<String> command, DataLayout layout, Spawner spawner)
            throws IOException {
        var arguments = new ArrayList<Argument>();
        var sources = new ArrayList<Path>();
        var hash = new InputHash();
        for (var text : command) {
            hash.add(text);
            if (mustBeMounted(text)) {
                var source = Path.of(text).toRealPath();
                hash.addIdentity(source);
                // Prefix the name with a number if it is taken.
                var name = source.getFileName().toString();
                boolean taken =
                        arguments.stream().anyMatch(argument -> argument.text().equals(name));
                arguments.add(new Argument(taken ? sources.size() + "-" + name : name, true));
                sources.add(source);
            } else {
                arguments.add(new Argument(text, false));
            }
        }
        var names = arguments.stream().filter(Argument::isInDirectory).map(Argument::text).toList();
        var directory =
                SharedDirectory.publish(
                        layout.runtime().resolve("command-" + hash.hex()),
                        spawner,
                        draft -> {
                            for (int i = 0; i < names.size(); i++) {
                                add(sources.get(i), draft.resolve(names.get(i)));
                            }
                        });
        return new CommandBridge(directory, arguments);
    }

    @Override
    public List<String> confined() {
        return arguments.stream().map(argument -> argument.at(SANDBOX_DIRECTORY)).toList();
    }

    @Override
    public List<String> unconfined() {
        return arguments.stream().map(argument -> argument.at(directory)).toList();
    }

    /** Not standard input, which the program may pass on to its engine. */
    @Override
    public int nonceDescriptor() {
        return LaunchScript.NONCE_DESCRIPTOR;
    }

    private static boolean mustBeMounted(String argument) throws IOException {
        if (argument.indexOf('/') < 0 || argument.indexOf('\0') >= 0) {
            return false;
        }
        var path = Path.of(argument);
        return Files.exists(path) && !path.toRealPath().startsWith("/usr");
    }

    private static void add(Path source, Path target) throws IOException {
        if (Files.isDirectory(source)) {
            SharedDirectory.addTree(source, target, _ -> false);
        } else {
            SharedDirectory.addFile(source, target);
        }
    }
}
