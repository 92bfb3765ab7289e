package dev.ash.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code ash} command without a subcommand. */
@Command(
        name = "ash",
        description = "Deploy directories as AI agents and run them, each in its own sandbox.",
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "Getting started:",
            "  ash start",
            "  ash chat examples/hello-agent \"hello\"",
            "",
            "Every command accepts --json and --help. The server URL is taken from",
            "ASH_SERVER_URL, ~/.ash/config.json, or http://localhost:4100; the API key from",
            "ASH_API_KEY, that file, or the data directory of the local server.",
            "",
            "In a clone, `./ash bench` measures the installed programs: ./ash bench --help",
            "",
            "Exit codes:",
            "  0 success                    5 API key missing or rejected",
            "  1 failure                    6 session busy, not active or ended;",
            "                                 approval already answered",
            "  2 invalid usage              7 the turn ended with an error",
            "  3 server unreachable,        8 server full or too many requests:",
            "    untrusted or lost            retry later",
            "  4 agent, session, approval,  130 interrupted by Ctrl-C",
            "    device, run or file        `session exec` exits with its command's code,",
            "    not found                  `pair` with 10 to 16 for outcomes but completed"
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
