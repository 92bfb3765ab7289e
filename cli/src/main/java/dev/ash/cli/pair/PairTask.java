package dev.ash.cli.pair;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.command.StandardInput;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Options for the task of a pair run. */
final class PairTask {
    private static final String REVIEW = "Review what was changed.";

    @Spec(Spec.Target.MIXEE)
    CommandSpec command = CommandSpec.create();

    @Parameters(
            arity = "0..*",
            paramLabel = "TASK",
            hideParamSyntax = true,
            description = "The task, as one quoted argument; - reads it from standard input.")
    List<String> words = new ArrayList<>();

    @Option(names = "--task-file", paramLabel = "FILE", description = "Read the task from a file.")
    @Nullable String file;

    String read(Host host, boolean isReview) {
        if (words.size() + (file == null ? 0 : 1) > 1) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "More than one task: %s. Quote the task as one argument."
                            .formatted(String.join(", ", words)));
        }
        if (file != null) {
            return requireNonBlank(content(host, file));
        }
        if (words.isEmpty() && isReview) {
            return REVIEW;
        }
        if (words.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "The task is missing. Specify it as a quoted argument, with --task-file FILE, or - to read it from standard input.");
        }
        var word = words.getFirst();
        if (word.equals("-")) {
            return StandardInput.read(host);
        }
        if (PairCommands.group().has(word) && !isAfterDoubleDash()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "\"%s\" is a command and must come first: ash pair %s. To use it as a task: ash pair -- %s"
                            .formatted(word, word, word));
        }
        return requireNonBlank(word);
    }

    private boolean isAfterDoubleDash() {
        return command.commandLine().getParseResult().originalArgs().contains("--");
    }

    private static String requireNonBlank(String text) {
        if (text.isBlank()) {
            throw new CommandException(ExitCode.USAGE, "The task is empty.");
        }
        return text;
    }

    private static String content(Host host, String file) {
        var path = host.resolve(file);
        try {
            return Files.readString(path, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "Cannot read the task from %s: %s.".formatted(path, IoReason.of(e)));
        }
    }
}
