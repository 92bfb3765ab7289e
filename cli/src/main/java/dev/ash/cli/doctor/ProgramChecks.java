package dev.ash.cli.doctor;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import dev.ash.cli.terminal.Check;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.engine.ModelProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Checks the programs that Ash uses. */
final class ProgramChecks {
    private static final List<String> CREDENTIALS =
            Arrays.stream(ModelProvider.values())
                    .flatMap(provider -> provider.credentialVariables().stream())
                    .toList();
    private static final int SETUID = 04000;

    private final Host host;
    private final ServerPrograms server;

    ProgramChecks(Host host, SystemFiles files) {
        this.host = host;
        this.server = new ServerPrograms(host, files);
    }

    Check java() {
        var found = "%s at %s".formatted(Runtime.version(), System.getProperty("java.home"));
        return Runtime.version().feature() >= 25
                ? Check.ok("java", found)
                : Check.missing(
                        "java", found, "Install a JDK 25 and set ASH_JAVA or JAVA_HOME to it.");
    }

    Check git() {
        var git = Programs.find(host, "git");
        return git.isPresent()
                ? Check.ok("git", firstLine(git.get(), "--version"))
                : Check.weak("git", "not found", "Agents use it: apt-get install git");
    }

    Check bubblewrap() {
        var bwrap = server.find("bwrap");
        if (bwrap.isEmpty()) {
            return Check.weak(
                    "bubblewrap",
                    "not found; agents run as plain processes of this user",
                    isMac()
                            ? "Bubblewrap is only available on Linux; use macOS for development only."
                            : "apt-get install bubblewrap (or the bubblewrap package of your system)");
        }
        if (isSetuid(bwrap.get())) {
            return Check.weak(
                    "bubblewrap",
                    bwrap.get() + " is setuid and therefore not used",
                    "chmod u-s " + bwrap.get());
        }
        return Check.ok("bubblewrap", firstLine(bwrap.get(), "--version"));
    }

    /** Creates namespaces like a sandbox does, because settings alone are not conclusive. */
    Check userNamespaces() {
        var bwrap = server.find("bwrap");
        if (bwrap.isEmpty()) {
            return Check.weak(
                    "user namespaces",
                    "not checked, because bubblewrap is missing",
                    "Install bubblewrap, then run ash doctor again.");
        }
        var result = Programs.run(host, probe(bwrap.get()));
        return result.exitCode() == 0
                ? Check.ok("user namespaces", "a sandbox can be created")
                : Check.weak(
                        "user namespaces",
                        "rejected: " + Printable.abbreviate(result.output(), 200),
                        "Allow them: sysctl kernel.apparmor_restrict_unprivileged_userns=0, kernel.unprivileged_userns_clone=1; in a container, run it with --privileged or a profile that allows them.");
    }

    private List<String> probe(Path bwrap) {
        var command = new ArrayList<String>();
        var setpriv = server.find("setpriv");
        if (host.isRoot() && setpriv.isPresent()) {
            // Like the server, which as root assigns each sandbox its own uid first.
            command.add(setpriv.get().toString());
            command.addAll(List.of("--reuid=65534", "--regid=65534", "--clear-groups"));
            command.addAll(List.of("--no-new-privs", "--"));
        }
        command.add(bwrap.toString());
        command.addAll(List.of("--unshare-all", "--unshare-user", "--disable-userns"));
        command.addAll(List.of("--uid", "1000", "--gid", "1000", "--cap-drop", "ALL"));
        command.addAll(List.of("--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"));
        command.add("/bin/true");
        return command;
    }

    Check credential() {
        for (var name : CREDENTIALS) {
            if (!host.variable(name, "").isEmpty()) {
                return Check.ok("credential", name + " is set");
            }
        }
        return Check.weak(
                "credential",
                "none is set",
                "Without a key, the demo engine is used. Run: export %s=…, ash stop, ash start"
                        .formatted(CREDENTIALS.getFirst()));
    }

    private String firstLine(Path program, String argument) {
        var result = Programs.run(host, List.of(program.toString(), argument));
        return result.output().lines().findFirst().orElse(program.toString());
    }

    static boolean isSetuid(Path program) {
        try {
            return Files.getAttribute(program, "unix:mode") instanceof Integer mode
                    && (mode & SETUID) != 0;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static boolean isMac() {
        return System.getProperty("os.name", "").startsWith("Mac");
    }
}
