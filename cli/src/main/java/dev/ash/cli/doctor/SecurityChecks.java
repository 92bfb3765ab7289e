package dev.ash.cli.doctor;

import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.cli.server.RunningServer;
import dev.ash.cli.terminal.Check;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks the host's support for the isolation of sandboxes. Read-only; shows no secrets. {@code
 * WEAK}: one of several protections is absent. {@code MISSING}: a protection is absent on which
 * others rely.
 */
final class SecurityChecks {
    private final Host host;
    private final SystemFiles files;

    SecurityChecks(Host host, SystemFiles files) {
        this.host = host;
        this.files = files;
    }

    List<Check> all() {
        var data = DataDirectory.lastUsed(host, UserConfig.load(host));
        var running = RunningServer.find(data);
        var process = running.map(server -> Long.toString(server.pid())).orElse("self");
        var checks = new ArrayList<Check>();
        checks.add(new BubblewrapChecks(host, files).installed());
        checks.add(new ProgramChecks(host, files).userNamespaces());
        checks.addAll(new KernelChecks(files).all());
        var resources = new ResourceChecks(files, process);
        checks.add(resources.controlGroups());
        checks.add(resources.disk(data.path().toAbsolutePath().normalize()));
        checks.add(resources.diskLimits(isRoot(process)));
        checks.add(user(process));
        var directory = new DataChecks(host, data.path());
        checks.add(directory.directory());
        checks.add(directory.keyFiles());
        checks.add(directory.requiresIsolation());
        checks.add(directory.address(running));
        return checks;
    }

    private boolean isRoot(String process) {
        return files.read("/proc/" + process + "/status")
                .orElse("")
                .lines()
                .anyMatch(line -> line.matches("Uid:\\s+0\\s.*"));
    }

    private Check user(String process) {
        return isRoot(process)
                ? Check.ok("server user", "root: every sandbox has its own uid")
                : Check.weak(
                        "server user",
                        "not root: all sandboxes share one uid, so only namespaces separate them",
                        "Run the server as root with the unit in deploy/systemd; it drops its privileges for every sandbox.");
    }
}
