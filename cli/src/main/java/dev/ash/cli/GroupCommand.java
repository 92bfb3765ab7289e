package dev.ash.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command with subcommands only, such as {@code ash agent}. */
@Command(synopsisSubcommandLabel = "COMMAND")
final class GroupCommand implements Callable<Integer> {
    @Spec CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
