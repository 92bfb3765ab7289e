package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.files.OutputFiles;
import dev.ash.sandbox.launch.Bubblewrap;
import dev.ash.sandbox.launch.Bubblewrap.Nesting;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Launch;
import dev.ash.sandbox.launch.Launch.NetworkAccess;
import dev.ash.sandbox.launch.NoConfinement;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.Limit;
import dev.ash.sandbox.limits.ResolvedLimits;
import dev.ash.sandbox.limits.Rlimits;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Determines which isolation this host supports by launching a test program, because many
 * independent settings of a host can forbid it.
 */
final class IsolationProbe {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The confinement to use, and its description for the API. */
    record Result(Confinement confinement, Isolation isolation) {}

    /** The host user of sandboxes, which decides what unconfined sandboxes can access. */
    enum Users {
        DEDICATED("any local user", ""),
        SERVER("the server's own user", ", and a daemon may outlive its session"),
        ROOT("root", ", and a daemon may outlive its session");

        private final String description;
        private final String consequence;

        Users(String description, String consequence) {
            this.description = description;
            this.consequence = consequence;
        }
    }

    private final LaunchContext context;
    private final HostTools tools;
    private final Users users;
    private final Spawner spawner;

    IsolationProbe(LaunchContext context, HostTools tools, Users users, Spawner spawner) {
        this.context = context;
        this.tools = tools;
        this.users = users;
        this.spawner = spawner;
    }

    /** Runs the probe; {@code disk} is how disk space is limited, as determined before. */
    Result run(String disk) throws IOException {
        var result = run();
        var found = result.isolation();
        return new Result(
                result.confinement(),
                new Isolation(
                        found.kind(), found.network(), found.missing(), found.limits(), disk));
    }

    private Result run() throws IOException {
        if (tools.bubblewrap().isEmpty()) {
            return none("bubblewrap is not installed");
        }
        var program = tools.bubblewrap().get();
        if ((((Integer) Files.getAttribute(program, "unix:mode")) & 04000) != 0) {
            return none(program + " is setuid root, which has allowed sandbox escapes");
        }
        var refusals = new ArrayList<String>();
        for (var access : NetworkAccess.values()) {
            for (var nesting : Nesting.values()) {
                var confinement = bubblewrap(program, nesting, access);
                var refusal = refusal(confinement);
                if (refusal.isEmpty()) {
                    return found(confinement, refusals);
                }
                refusals.add(refusal.get());
            }
        }
        return none("bubblewrap cannot create a sandbox on this host: " + refusals.getFirst());
    }

    private Bubblewrap bubblewrap(Path program, Nesting nesting, NetworkAccess access) {
        var confinement = new Bubblewrap(program, tools, nesting, access, context.filter());
        return users == Users.ROOT ? confinement.withReadOnlyKernelFiles() : confinement;
    }

    private Result found(Bubblewrap confinement, List<String> refusals) {
        var missing = new ArrayList<String>();
        if (users == Users.ROOT) {
            missing.add(
                    "sandboxes run as root on the host, because setpriv or unused uids are"
                            + " missing");
        }
        if (confinement.minNetworkAccess() == NetworkAccess.HOST) {
            missing.add(
                    "sandboxes share the host's network, because network namespaces are refused"
                            + " on this host: "
                            + refusals.getFirst());
        }
        if (confinement.filter().isEmpty()) {
            missing.add(
                    "system calls are not filtered, because this processor architecture is not"
                            + " supported");
            if (confinement.nesting() == Nesting.POSSIBLE) {
                missing.add(
                        "programs inside can create user namespaces, because bubblewrap cannot"
                                + " disable them on this host: "
                                + refusals.getFirst());
            }
        }
        missing.addAll(context.groups().missing());
        var network = confinement.minNetworkAccess() == NetworkAccess.NONE ? "closed" : "host";
        return new Result(confinement, isolation("bubblewrap", network, missing));
    }

    private Result none(String reason) {
        var missing =
                ("%s. Sandboxes are ordinary processes with the file access of %s%s. Install"
                                + " bubblewrap and enable unprivileged user namespaces.")
                        .formatted(reason, users.description, users.consequence);
        var all = new ArrayList<>(context.groups().missing());
        all.add(missing);
        return new Result(new NoConfinement(tools), isolation("none", "host", all));
    }

    private Isolation isolation(String kind, String network, List<String> missing) {
        var limits = EnumSet.of(Limit.DISK, Limit.FILE_SIZE, Limit.OPEN_FILES);
        limits.addAll(context.groups().enforced());
        return new Isolation(
                kind,
                network,
                missing.isEmpty() ? null : String.join("; ", missing),
                limits.stream().map(Limit::label).toList());
    }

    /**
     * Launches a no-op program with the real command line; returns bubblewrap's error if it fails.
     */
    private Optional<String> refusal(Bubblewrap confinement) throws IOException {
        var id = SandboxId.random();
        var directories = context.directories();
        try {
            var uid = directories.claim(id);
            var control = context.layout().sandbox(id);
            var agent = Files.createDirectory(control.resolve("agent"));
            directories.prepare(id, uid, agent);
            var workspace = context.workspace(id);
            var launch =
                    new Launch(
                            control,
                            HostUser.dedicated(uid),
                            workspace,
                            context.mounts(id, context.layout().etc(), Network.CLOSED, workspace),
                            confinement.minNetworkAccess(),
                            List.of(),
                            Rlimits.of(ResolvedLimits.of(ResourceLimits.DEFAULT)),
                            List.of("true"),
                            Map.of("PATH", HostTools.DEFAULT_PATH));
            var output = control.resolve("output");
            var redirect = Redirect.appendTo(output.toFile());
            int code = spawner.run(confinement.command(launch, redirect, redirect), TIMEOUT);
            return code == 0 ? Optional.empty() : Optional.of(firstLine(output, code));
        } finally {
            directories.discard(id);
        }
    }

    private static String firstLine(Path output, int code) {
        return OutputFiles.tail(output, 0)
                .lines()
                .findFirst()
                .orElse("it exited with code " + code + " without an error message");
    }
}
