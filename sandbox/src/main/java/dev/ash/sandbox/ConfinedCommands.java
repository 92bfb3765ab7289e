package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.ConfinedCommand.Result;
import dev.ash.sandbox.files.CommandFolders;
import dev.ash.sandbox.launch.Bubblewrap;
import dev.ash.sandbox.launch.Command;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.Launch;
import dev.ash.sandbox.launch.Launch.Reach;
import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.launch.Traces;
import dev.ash.sandbox.limits.Bounds;
import dev.ash.sandbox.limits.Group;
import dev.ash.sandbox.limits.Groups;
import dev.ash.sandbox.limits.Rlimits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Runs short commands with the same isolation as sandboxes: bubblewrap without network, the filter
 * of system calls, a control group and process limits of their own. When a command ends, nothing of
 * it is left; when the server ends, so do its commands.
 *
 * <p>A command for a directory of root's runs with root's user id, since nobody else can read the
 * files. It has no capabilities then either, and sees nothing of the host but the system's programs
 * and its directories.
 */
public final class ConfinedCommands implements AutoCloseable {
    private static final int TIMED_OUT = 124;
    private static final int MAX_AT_ONCE = 32;
    private static final String MARK = "ASH_COMMAND_ID";

    /** As a default sandbox has it, but for the size of a file: git bundles are large. */
    private static final Bounds BOUNDS =
            Bounds.of(new ResourceLimits(null, null, null, 8 * 1024).or(ResourceLimits.DEFAULT));

    private static final String WITH_INPUT = "exec <\"$1\" || exit 125; shift; exec \"$@\"";

    private final Confinement wall;
    private final Groups groups;
    private final CommandFolders folders;
    private final Spawner spawner;
    private final Semaphore room = new Semaphore(MAX_AT_ONCE, true);
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    private record Running(Process process, SandboxProcess all) {}

    ConfinedCommands(Confinement wall, Groups groups, CommandFolders folders, Spawner spawner) {
        this.wall = wall;
        this.groups = groups;
        this.folders = folders;
        this.spawner = spawner;
    }

    public Result run(ConfinedCommand command) throws InterruptedException {
        if (!(wall instanceof Bubblewrap bubblewrap)) {
            throw failed("this needs bubblewrap, which cannot be used on this host");
        }
        if (!room.tryAcquire(command.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("too many of them run already; try again later");
        }
        var id = "command-" + UUID.randomUUID();
        try {
            return run(id, command, bubblewrap.forCommands());
        } catch (IOException | IllegalArgumentException e) {
            throw failed("it could not be started: " + e.getMessage());
        } finally {
            room.release();
        }
    }

    private Result run(String id, ConfinedCommand command, Bubblewrap wall)
            throws IOException, InterruptedException {
        names.add(id);
        var control = folders.make(id);
        try {
            if (command.input().isPresent()) {
                CommandFolders.letRead(command.input().get(), command.user());
            }
            var group = groups.of(id);
            var launch = launch(id, control, command, group);
            var traces = new Traces(OptionalInt.empty(), launch.info(), MARK + "=" + id, group);
            var stdout = command.output().map(file -> Redirect.to(file.toFile()));
            var words = wall.command(launch, stdout.orElse(Redirect.PIPE), Redirect.PIPE);
            var started = start(withInput(words, command), traces, group);
            running.put(id, started);
            return finish(started, command.timeout());
        } finally {
            running.remove(id);
            folders.delete(id);
            names.remove(id);
        }
    }

    private Running start(Command command, Traces traces, Group group) throws IOException {
        try {
            group.make(BOUNDS);
            var process = spawner.spawnWithLimits(command);
            return new Running(process, SandboxProcess.watch(process, traces, () -> {}));
        } catch (IOException e) {
            group.end();
            throw e;
        }
    }

    private static Launch launch(String id, Path control, ConfinedCommand command, Group group) {
        var variables = new HashMap<>(command.environment());
        variables.put("PATH", HostTools.DEFAULT_PATH);
        variables.put(MARK, id);
        var mounts = new ArrayList<Mount>();
        mounts.add(Mount.temporary("/tmp"));
        mounts.add(command.directory());
        mounts.addAll(command.more());
        return new Launch(
                control,
                command.user(),
                command.directory(),
                mounts,
                Reach.NOTHING,
                group.doors(),
                Rlimits.of(BOUNDS),
                List.of("/bin/sh", "-c", checks(command) + command.script()),
                variables);
    }

    /**
     * A link may have been put in a directory's place after it was checked. The mounts are made by
     * then, and nothing but this script runs yet.
     */
    private static String checks(ConfinedCommand command) {
        var lines = new StringBuilder();
        command.identities()
                .forEach(
                        (path, key) ->
                                lines.append(
                                        """
                                        [ "$(stat -c '(dev=%%D,ino=%%i)' -- %1$s)" = '%2$s' ] || {
                                            echo %1$s 'was replaced by another directory' >&2
                                            exit 126
                                        }
                                        """
                                                .formatted(quoted(path), key)));
        return lines.toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** The file is opened by the server's user, before the switch to the command's. */
    private static Command withInput(Command command, ConfinedCommand asked) {
        if (asked.input().isEmpty()) {
            return command;
        }
        var file = asked.input().get().toString();
        var words = new ArrayList<>(List.of("/bin/sh", "-c", WITH_INPUT, "sh", file));
        words.addAll(command.words());
        return new Command(
                words,
                command.environment(),
                command.directory(),
                command.stdout(),
                command.stderr());
    }

    private static Result finish(Running running, Duration timeout) throws InterruptedException {
        var process = running.process();
        var stdout = read(process, process.getInputStream());
        var stderr = read(process, process.getErrorStream());
        boolean ended;
        try {
            ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            running.all().kill();
        }
        return new Result(ended ? process.exitValue() : TIMED_OUT, stdout.join(), stderr.join());
    }

    /** What is more than can be shown is read and dropped. */
    private static CompletableFuture<String> read(Process process, InputStream in) {
        var text = new CompletableFuture<String>();
        // A virtual thread would keep its carrier for as long as the command writes nothing.
        Thread.ofPlatform()
                .daemon()
                .name("confined-command-" + process.pid())
                .start(
                        () -> {
                            try (in) {
                                var bytes = in.readNBytes(Limits.MAX_EXEC_OUTPUT_BYTES);
                                in.transferTo(OutputStream.nullOutputStream());
                                text.complete(new String(bytes, StandardCharsets.UTF_8));
                            } catch (IOException e) {
                                text.complete("");
                            }
                        });
        return text;
    }

    /** Whether a control group is that of a command that runs. */
    boolean isRunning(String group) {
        return names.contains(group);
    }

    /** Removes what a server that was killed left; its processes ended with it. */
    void deleteLeftovers() {
        folders.deleteAllBut(names);
    }

    @Override
    public void close() {
        running.values().forEach(command -> command.all().kill());
    }

    private static ApiException failed(String why) {
        return new ApiException(
                ErrorCode.SANDBOX_FAILED, "No command can be run on that directory: " + why);
    }
}
