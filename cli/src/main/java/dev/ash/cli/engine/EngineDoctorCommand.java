package dev.ash.cli.engine;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.CheckReport;
import picocli.CommandLine.Command;

/** Implements {@code ash engines doctor}. */
@Command(
        name = "doctor",
        description = "Check the engine programs and keys of this machine.",
        footer = "Runs each program with --version; needs no server.")
final class EngineDoctorCommand extends AshCommand {
    EngineDoctorCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var report = new CheckReport(new EngineChecks(host).all());
        print(report.json(), report.text());
        return ExitCode.OK;
    }
}
