package dev.ash.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
        name = "ash",
        description = "Deploy folders as AI agents and talk to them, each in its own sandbox.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "First steps:",
            "  ash start",
            "  ash chat examples/hello-agent \"hello\"",
            "",
            "Every command takes --json and --help. The server is found by ASH_SERVER_URL,",
            "~/.ash/config.json, or http://localhost:4100; the key by ASH_API_KEY, that file,",
            "or the data directory of the server on this machine.",
            "",
            "Exit codes:",
            "  0 done                       5 key missing or refused",
            "  1 failed                     6 session busy, not active or ended;",
            "                                 approval answered already",
            "  2 wrong usage                7 the turn ended with an error",
            "  3 no server, or it was lost  8 server full or too many requests: try later",
            "  4 no such agent, session,    130 interrupted by Ctrl-C",
            "    approval, device, run or   `session exec` gives the code of its command,",
            "    file                       `pair` 10 to 16 for other outcomes than completed"
        })
final class RootCommand implements Callable<Integer> {
    @Spec CommandSpec spec = CommandSpec.create();

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    @Option(
            names = {"-V", "--version"},
            description = "Show the version.")
    boolean version;

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
