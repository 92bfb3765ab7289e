package dev.ash.sandbox;

import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.Isolation;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.files.LogFiles;
import dev.ash.sandbox.launch.Bubblewrap;
import dev.ash.sandbox.launch.Bubblewrap.Nesting;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Launch;
import dev.ash.sandbox.launch.Launch.Reach;
import dev.ash.sandbox.launch.PlainChild;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.Bounds;
import dev.ash.sandbox.limits.Limit;
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

/** Finds out by doing it which wall this host can build, since so many things can forbid it. */
final class IsolationProbe {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** The wall to use, and what to tell people about it. */
    record Finding(Confinement wall, Isolation isolation) {}

    /** Whose powers over the host's files a sandbox has, were it not for the wall. */
    enum Users {
        OWN("any local user", ""),
        SERVER("the server's own user", ", and a daemon may outlive its session"),
        ROOT("root", ", and a daemon may outlive its session");

        private final String who;
        private final String besides;

        Users(String who, String besides) {
            this.who = who;
            this.besides = besides;
        }
    }

    private final LaunchSite site;
    private final HostTools tools;
    private final Users users;
    private final Spawner spawner;

    IsolationProbe(LaunchSite site, HostTools tools, Users users, Spawner spawner) {
        this.site = site;
        this.tools = tools;
        this.users = users;
        this.spawner = spawner;
    }

    /** {@code disk} is how disk space is limited, which has been found out before. */
    Finding run(String disk) throws IOException {
        var finding = run();
        var found = finding.isolation();
        return new Finding(
                finding.wall(),
                new Isolation(
                        found.kind(), found.network(), found.missing(), found.limits(), disk));
    }

    private Finding run() throws IOException {
        if (tools.bubblewrap().isEmpty()) {
            return none("bubblewrap is not installed");
        }
        var program = tools.bubblewrap().get();
        if ((((Integer) Files.getAttribute(program, "unix:mode")) & 04000) != 0) {
            return none(program + " is setuid root, which has been a way out of sandboxes");
        }
        var refusals = new ArrayList<String>();
        for (var reach : Reach.values()) {
            for (var nesting : Nesting.values()) {
                var wall = wall(program, nesting, reach);
                var refusal = refusal(wall);
                if (refusal.isEmpty()) {
                    return found(wall, refusals);
                }
                refusals.add(refusal.get());
            }
        }
        return none("bubblewrap cannot build a sandbox here: " + refusals.getFirst());
    }

    private Bubblewrap wall(Path program, Nesting nesting, Reach reach) {
        var wall = new Bubblewrap(program, tools, nesting, reach, site.filter());
        return users == Users.ROOT ? wall.withReadOnlyKernelFiles() : wall;
    }

    private Finding found(Bubblewrap wall, List<String> refusals) {
        var missing = new ArrayList<String>();
        if (users == Users.ROOT) {
            missing.add(
                    "behind the wall sandboxes are root, because setpriv or free users are missing");
        }
        if (wall.leastReach() == Reach.HOST) {
            missing.add(
                    "sandboxes share the host's network, because one of their own is refused here: "
                            + refusals.getFirst());
        }
        if (wall.filter().isEmpty()) {
            missing.add("system calls are not filtered, for this kind of processor is not known");
            if (wall.nesting() == Nesting.POSSIBLE) {
                missing.add(
                        "programs inside can make user namespaces of their own, because bubblewrap"
                                + " cannot forbid it here: "
                                + refusals.getFirst());
            }
        }
        missing.addAll(site.groups().missing());
        var network = wall.leastReach() == Reach.NOTHING ? "closed" : "host";
        return new Finding(wall, isolation("bubblewrap", network, missing));
    }

    private Finding none(String reason) {
        var missing =
                ("%s. Sandboxes are plain processes: they see the host's files as %s does%s. Install"
                                + " bubblewrap and allow unprivileged user namespaces.")
                        .formatted(reason, users.who, users.besides);
        var all = new ArrayList<>(site.groups().missing());
        all.add(missing);
        return new Finding(new PlainChild(tools), isolation("none", "host", all));
    }

    private Isolation isolation(String kind, String network, List<String> missing) {
        var limits = EnumSet.of(Limit.DISK, Limit.FILE_SIZE, Limit.OPEN_FILES);
        limits.addAll(site.groups().enforced());
        return new Isolation(
                kind,
                network,
                missing.isEmpty() ? null : String.join("; ", missing),
                limits.stream().map(Limit::label).toList());
    }

    /** What bubblewrap says to the real launch line with a program that does nothing. */
    private Optional<String> refusal(Bubblewrap wall) throws IOException {
        var id = SandboxId.random();
        var folders = site.folders();
        try {
            var uid = folders.claim(id);
            var control = site.layout().sandbox(id);
            var agent = Files.createDirectory(control.resolve("agent"));
            folders.prepare(id, uid, agent);
            var workspace = site.workspace(id);
            var launch =
                    new Launch(
                            control,
                            HostUser.ofItsOwn(uid),
                            workspace,
                            site.mounts(id, site.layout().etc(), Network.CLOSED, workspace),
                            wall.leastReach(),
                            List.of(),
                            Rlimits.of(Bounds.of(ResourceLimits.DEFAULT)),
                            List.of("true"),
                            Map.of("PATH", HostTools.DEFAULT_PATH));
            var words = control.resolve("words");
            var output = Redirect.appendTo(words.toFile());
            int code = spawner.run(wall.command(launch, output, output), PATIENCE);
            return code == 0 ? Optional.empty() : Optional.of(firstLine(words, code));
        } finally {
            folders.discard(id);
        }
    }

    private static String firstLine(Path words, int code) {
        return LogFiles.tail(words, 0)
                .lines()
                .findFirst()
                .orElse("it ended with code " + code + " and said nothing");
    }
}
