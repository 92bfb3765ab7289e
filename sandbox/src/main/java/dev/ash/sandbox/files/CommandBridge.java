package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Gate;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A bridge that somebody else wrote, given as a command. A word with a slash that names a file or
 * folder of the host outside {@code /usr} is put below the data directory and shown in the sandbox
 * at {@code /opt/ash}, under its own name; all other words pass as they are.
 */
public record CommandBridge(Path folder, List<Word> words) implements BridgeProgram {
    /** Either text as it is, or the name of something in the folder. */
    record Word(String text, boolean isInFolder) {
        String at(Path place) {
            return isInFolder ? place.resolve(text).toString() : text;
        }
    }

    public CommandBridge {
        words = List.copyOf(words);
    }

    public static CommandBridge prepare(List<String> command, DataLayout layout, Spawner spawner)
            throws IOException {
        var words = new ArrayList<Word>();
        var sources = new ArrayList<Path>();
        var fingerprint = new Fingerprint();
        for (var text : command) {
            fingerprint.text(text);
            if (isShownNowhere(text)) {
                var source = Path.of(text).toRealPath();
                fingerprint.identity(source);
                // A number in front if two files have one name; the first word keeps it.
                var name = source.getFileName().toString();
                boolean taken = words.stream().anyMatch(word -> word.text().equals(name));
                words.add(new Word(taken ? sources.size() + "-" + name : name, true));
                sources.add(source);
            } else {
                words.add(new Word(text, false));
            }
        }
        var names = words.stream().filter(Word::isInFolder).map(Word::text).toList();
        var folder =
                SharedFolder.publish(
                        layout.runtime().resolve("command-" + fingerprint.hex()),
                        spawner,
                        draft -> {
                            for (int i = 0; i < names.size(); i++) {
                                add(sources.get(i), draft.resolve(names.get(i)));
                            }
                        });
        return new CommandBridge(folder, words);
    }

    @Override
    public List<String> confined() {
        return words.stream().map(word -> word.at(PLACE)).toList();
    }

    @Override
    public List<String> unconfined() {
        return words.stream().map(word -> word.at(folder)).toList();
    }

    /** Not the standard input, which such a program may pass on to its engine. */
    @Override
    public int nonceDescriptor() {
        return Gate.NONCE_DESCRIPTOR;
    }

    private static boolean isShownNowhere(String word) throws IOException {
        if (word.indexOf('/') < 0 || word.indexOf('\0') >= 0) {
            return false;
        }
        var path = Path.of(word);
        return Files.exists(path) && !path.toRealPath().startsWith("/usr");
    }

    private static void add(Path source, Path target) throws IOException {
        if (Files.isDirectory(source)) {
            SharedFolder.addTree(source, target, _ -> false);
        } else {
            SharedFolder.addFile(source, target);
        }
    }
}
