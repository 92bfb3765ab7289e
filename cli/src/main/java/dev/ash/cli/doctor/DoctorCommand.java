package dev.ash.cli.doctor;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.engine.EngineChecks;
import dev.ash.cli.terminal.Check;
import dev.ash.cli.terminal.CheckReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash doctor}. */
@Command(
        name = "doctor",
        description = "Check this machine's requirements and suggest remedies.",
        footer = "Exits with 1 if a check is `missing`; `weak` does not affect the exit code.")
public final class DoctorCommand extends AshCommand {
    @Option(
            names = "--security",
            description = "Check the host's support for the isolation of agents.")
    private boolean security;

    public DoctorCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var files = new SystemFiles(Path.of("/"));
        var checks = security ? new SecurityChecks(host, files).all() : general(files);
        var report = new CheckReport(checks);
        print(report.json(), report.text());
        return report.canRun() ? ExitCode.OK : ExitCode.FAILED;
    }

    private List<Check> general(SystemFiles files) {
        var checks = new ArrayList<Check>();
        var programs = new ProgramChecks(host, files);
        checks.add(programs.java());
        checks.add(programs.git());
        checks.add(programs.bubblewrap());
        checks.add(programs.userNamespaces());
        checks.addAll(new EngineChecks(host).summary());
        checks.add(programs.credential());
        var server = new ServerChecks(host);
        checks.add(server.controlGroups(files));
        checks.add(server.dataDirectory());
        checks.add(server.server());
        checks.add(server.port());
        checks.add(new GatewayChecks(host).gateway());
        return checks;
    }
}
