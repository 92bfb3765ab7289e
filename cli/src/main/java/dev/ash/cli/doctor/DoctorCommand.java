package dev.ash.cli.doctor;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
        print(document(checks), text(checks));
        return canRun(checks) ? ExitCode.OK : ExitCode.FAILED;
    }

    private List<Check> general(SystemFiles files) {
        var checks = new ArrayList<Check>();
        var programs = new ProgramChecks(host, files);
        checks.add(programs.java());
        checks.add(programs.git());
        checks.add(programs.bubblewrap());
        checks.add(programs.userNamespaces());
        checks.addAll(programs.engines());
        checks.add(programs.credential());
        var server = new ServerChecks(host);
        checks.add(server.controlGroups(files));
        checks.add(server.dataDirectory());
        checks.add(server.server());
        checks.add(server.port());
        checks.add(new GatewayChecks(host).gateway());
        return checks;
    }

    private static boolean canRun(List<Check> checks) {
        return checks.stream().noneMatch(check -> check.status() == Check.Status.MISSING);
    }

    private static String text(List<Check> checks) {
        var table = new Table();
        for (var check : checks) {
            table.row(status(check), check.name(), check.found());
            if (check.advice() != null) {
                table.row("", "", "→ " + check.advice());
            }
        }
        return table.toString();
    }

    private static String status(Check check) {
        return check.status().name().toLowerCase(Locale.ROOT);
    }

    private static RawJson document(List<Check> checks) {
        var json = JsonWriter.object().put("ok", canRun(checks)).name("checks").open('[');
        for (var check : checks) {
            json.open('{')
                    .put("name", check.name())
                    .put("status", status(check))
                    .put("found", check.found())
                    .put("advice", check.advice())
                    .close('}');
        }
        return json.close(']').end();
    }
}
