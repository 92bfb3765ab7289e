package dev.ash.cli.pair;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Subcommands;

/** Creates the commands for pair runs. */
public final class PairCommands {
    private PairCommands() {}

    public static AshCommand start(Host host) {
        return new PairStartCommand(host);
    }

    public static Subcommands group() {
        return new Subcommands("Manage pair runs.")
                .add("list", PairListCommand::new)
                .add("show", PairShowCommand::new)
                .add("watch", PairWatchCommand::new)
                .add("say", PairSayCommand::new)
                .add("answer", PairAnswerCommand::new)
                .add("pause", PairStateCommand.Pause::new)
                .add("stop", PairStateCommand.Stop::new)
                .add("resume", PairResumeCommand::new)
                .add("log", PairLogCommand::new)
                .add("diff", PairDiffCommand::new)
                .add("report", PairReportCommand::new)
                .add("clean", PairCleanCommand::new);
    }
}
