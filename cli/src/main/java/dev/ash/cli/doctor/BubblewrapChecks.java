package dev.ash.cli.doctor;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import dev.ash.cli.terminal.Check;
import java.util.List;
import java.util.regex.Pattern;

/** Checks the version of bubblewrap for known vulnerabilities, and its installation. */
final class BubblewrapChecks {
    private static final Pattern VERSION =
            Pattern.compile("^bubblewrap ([0-9]{1,4})\\.([0-9]{1,4})");

    private final Host host;
    private final ServerPrograms programs;

    BubblewrapChecks(Host host, SystemFiles files) {
        this.host = host;
        this.programs = new ServerPrograms(host, files);
    }

    Check installed() {
        var name = "bubblewrap";
        var bwrap = programs.find("bwrap");
        if (bwrap.isEmpty()) {
            return Check.missing(
                    name,
                    "not found; agents run as plain processes of the server's user",
                    "apt-get install bubblewrap (or the bubblewrap package of your system)");
        }
        if (ProgramChecks.isSetuid(bwrap.get())) {
            return Check.missing(
                    name,
                    bwrap.get() + " is setuid (CVE-2026-41163); the server does not use it",
                    "chmod u-s " + bwrap.get());
        }
        var output = Programs.run(host, List.of(bwrap.get().toString(), "--version")).output();
        var version = VERSION.matcher(output);
        if (!version.find()) {
            return Check.weak(
                    name,
                    bwrap.get() + " does not report its version",
                    "Install bubblewrap 0.12.0 or later.");
        }
        boolean fixed =
                Integer.parseInt(version.group(1)) > 0 || Integer.parseInt(version.group(2)) >= 12;
        return fixed
                ? Check.ok(name, output.lines().findFirst().orElse("") + ", not setuid")
                : Check.weak(
                        name,
                        output.lines().findFirst().orElse("")
                                + " has CVE-2026-87766; it affects mount points in agent-writable directories, which Ash does not use",
                        "Install bubblewrap 0.12.0 or later.");
    }
}
