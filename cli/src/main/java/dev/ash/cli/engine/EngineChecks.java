package dev.ash.cli.engine;

import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.cli.terminal.Check;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.protocol.engine.EngineTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks the programs and keys of the built-in engines on this machine. */
public final class EngineChecks {
    private final Host host;
    private final List<LocalEngine> engines;

    public EngineChecks(Host host) {
        this.host = host;
        var data = DataDirectory.lastUsed(host, UserConfig.load(host)).path();
        this.engines =
                EngineTable.builtIn().all().stream().flatMap(e -> local(e, host, data)).toList();
    }

    private static Stream<LocalEngine> local(EngineProfile engine, Host host, Path data) {
        return engine.program().stream()
                .map(program -> new LocalEngine(engine, program, host, data));
    }

    /** Returns a check of each engine, with the command that installs it. */
    List<Check> all() {
        // Some programs take seconds to print their version.
        return engines.parallelStream()
                .map(engine -> installed(engine).orElseGet(() -> missing(engine)))
                .toList();
    }

    /** Returns checks of the preferred and of all installed engines, and a line for the others. */
    public List<Check> summary() {
        var checks = new ArrayList<Check>();
        var found =
                engines.parallelStream().map(this::installed).toList(); // in the order of engines
        var others = new ArrayList<String>();
        for (int i = 0; i < engines.size(); i++) {
            var engine = engines.get(i);
            if (found.get(i).isPresent()) {
                checks.add(found.get(i).get());
            } else if (engine.engine().equals(EngineProfiles.CLAUDE)) {
                checks.add(missingPreferred(engine));
            } else {
                others.add(engine.engine().name().value());
            }
        }
        if (!others.isEmpty()) {
            // One engine is enough, so the absence of others is not a weakness.
            checks.add(
                    Check.ok(
                            "other engines",
                            "not installed: %s; see: ash engines doctor"
                                    .formatted(String.join(", ", others))));
        }
        return checks;
    }

    /** Returns empty if the program is neither installed nor configured. */
    private Optional<Check> installed(LocalEngine local) {
        var name = local.engine().name().value();
        var path = local.find();
        if (path.isEmpty()) {
            return local.configured().isEmpty()
                    ? Optional.empty()
                    : Optional.of(
                            Check.weak(
                                    name,
                                    local.configured() + " is not executable",
                                    "Correct or unset " + local.program().variable() + "."));
        }
        var result = local.version(path.get());
        var version = Printable.abbreviate(result.output(), 100);
        if (result.exitCode() != 0) {
            return Optional.of(
                    Check.weak(
                            name, "%s fails: %s".formatted(path.get(), version), install(local)));
        }
        var found = "%s at %s%s".formatted(version, path.get(), tested(local, path.get(), version));
        return Optional.of(
                local.engine().provider().hasCredential(host.env())
                        ? Check.ok(name, found)
                        : Check.ok(name, found + "; no key is set for " + keys(local)));
    }

    /** A package can have another version than the program in it. */
    private static String tested(LocalEngine local, Path path, String version) {
        var tested = local.program().version();
        return tested.isEmpty()
                        || version.contains(tested)
                        || path.equals(local.installedByAsh())
                ? ""
                : " (tested with %s %s)".formatted(local.program().npmPackage(), tested);
    }

    private static String keys(LocalEngine local) {
        return String.join(" or ", local.engine().provider().credentialVariables());
    }

    private static Check missingPreferred(LocalEngine local) {
        return Check.weak(
                local.engine().name().value(),
                "not found",
                "Without it, the demo engine is used. Install it: "
                        + local.engine().installCommand());
    }

    private static Check missing(LocalEngine local) {
        return Check.ok(
                local.engine().name().value(), "not installed; to install it: " + install(local));
    }

    private static String install(LocalEngine local) {
        return local.engine().installCommand();
    }
}
