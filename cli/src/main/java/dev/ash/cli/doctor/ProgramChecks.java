package dev.ash.cli.doctor;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.ModelProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Looks at the programs that Ash uses. */
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
                    "not found, so agents run as plain processes of this user",
                    isMac()
                            ? "It exists on Linux only; run Ash there for anything but development."
                            : "apt-get install bubblewrap (or your system's package of that name)");
        }
        if (isSetuid(bwrap.get())) {
            return Check.weak(
                    "bubblewrap",
                    bwrap.get() + " is setuid, and is not used",
                    "chmod u-s " + bwrap.get());
        }
        return Check.ok("bubblewrap", firstLine(bwrap.get(), "--version"));
    }

    /** Tries what a sandbox needs, because no setting tells for sure. */
    Check userNamespaces() {
        var bwrap = server.find("bwrap");
        if (bwrap.isEmpty()) {
            return Check.weak(
                    "user namespaces",
                    "not tried without bubblewrap",
                    "Install bubblewrap, then run ash doctor again.");
        }
        var answer = Programs.run(host, probe(bwrap.get()));
        return answer.exitCode() == 0
                ? Check.ok("user namespaces", "a sandbox can be made")
                : Check.weak(
                        "user namespaces",
                        "refused: " + Printable.abbreviated(answer.output(), 200),
                        "Allow them: sysctl kernel.apparmor_restrict_unprivileged_userns=0, kernel.unprivileged_userns_clone=1; in a container, run it with --privileged or a profile that allows them.");
    }

    private List<String> probe(Path bwrap) {
        var command = new ArrayList<String>();
        var setpriv = server.find("setpriv");
        if (host.isRoot() && setpriv.isPresent()) {
            // As the server does it: root gives its sandboxes a uid of their own first.
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

    List<Check> engines() {
        return EngineProfiles.ALL.stream()
                .flatMap(
                        profile ->
                                profile.program().stream().map(program -> engine(profile, program)))
                .toList();
    }

    private Check engine(EngineProfile profile, Program program) {
        return installed(profile, program)
                .orElseGet(
                        () ->
                                profile.equals(EngineProfiles.ALL.getFirst())
                                        ? missingPreferred(profile, program)
                                        : missingOther(profile, program));
    }

    private static Check missingPreferred(EngineProfile profile, Program program) {
        return Check.weak(
                profile.name().value(),
                "not found",
                "Without it the demo engine answers: " + program.installCommand());
    }

    /** Nobody needs two engines, so another one that is not installed is not missing. */
    private static Check missingOther(EngineProfile profile, Program program) {
        return Check.ok(
                profile.name().value(),
                "not installed; the engine %s needs '%s'"
                        .formatted(profile.name(), program.installCommand()));
    }

    /** Empty if it is not there and nobody said it is. */
    private Optional<Check> installed(EngineProfile profile, Program wanted) {
        var name = profile.name().value();
        var told = host.variable(wanted.variable(), "");
        var program =
                told.isEmpty()
                        ? Programs.find(host, wanted.command())
                        : Optional.of(Path.of(told)).filter(Files::isExecutable);
        var install = wanted.installCommand();
        if (program.isEmpty()) {
            return told.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Check.weak(name, told + " cannot be run", install));
        }
        var answer = Programs.run(host, List.of(program.get().toString(), "--version"));
        return Optional.of(
                answer.exitCode() == 0
                        ? Check.ok(name, answer.output() + " at " + program.get())
                        : Check.weak(
                                name,
                                program.get() + " does not run: " + answer.output(),
                                install));
    }

    Check credential() {
        for (var name : CREDENTIALS) {
            if (!host.variable(name, "").isEmpty()) {
                return Check.ok("credential", name + " is set here");
            }
        }
        return Check.weak(
                "credential",
                "none is set here",
                "Without one the demo engine answers. export %s=…, then ash stop and ash start"
                        .formatted(CREDENTIALS.getFirst()));
    }

    private String firstLine(Path program, String argument) {
        var answer = Programs.run(host, List.of(program.toString(), argument));
        return answer.output().lines().findFirst().orElse(program.toString());
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
