package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.rest.ResourceLimits;
import dev.ash.sandbox.ConfinedCommand.Result;
import dev.ash.sandbox.files.CommandDirectories;
import dev.ash.sandbox.launch.Bubblewrap;
import dev.ash.sandbox.launch.Command;
import dev.ash.sandbox.launch.Confinement;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.Launch;
import dev.ash.sandbox.launch.Launch.NetworkAccess;
import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.ProcessMarkers;
import dev.ash.sandbox.launch.SandboxProcess;
import dev.ash.sandbox.launch.Spawner;
import dev.ash.sandbox.limits.ControlGroup;
import dev.ash.sandbox.limits.ControlGroups;
import dev.ash.sandbox.limits.ResolvedLimits;
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
 * Runs short commands with the isolation of sandboxes: bubblewrap without network, the system call
 * filter, and a control group and process limits for each. No process of a command outlives it, and
 * no command outlives the server.
 *
 * <p>A command on a directory that belongs to root runs with root's uid, because no other user can
 * read the files. It still has no capabilities, and sees only the system's programs and its
 * directories.
 */
public final class ConfinedCommands implements AutoCloseable {
    private static final int TIMED_OUT = 124;
    private static final int MAX_CONCURRENT = 32;
    private static final String MARK = "ASH_COMMAND_ID";

    /** The limits of a default sandbox, with a larger file size: git bundles are large. */
    private static final ResolvedLimits LIMITS =
            ResolvedLimits.of(
                    new ResourceLimits(null, null, null, 8 * 1024).or(ResourceLimits.DEFAULT));

    private static final String REDIRECT_INPUT = "exec <\"$1\" || exit 125; shift; exec \"$@\"";

    private final Confinement confinement;
    private final ControlGroups groups;
    private final CommandDirectories directories;
    private final Spawner spawner;
    private final Semaphore permits = new Semaphore(MAX_CONCURRENT, true);
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Map<String, Running> running = new ConcurrentHashMap<>();

    private record Running(Process process, SandboxProcess tree) {}

    ConfinedCommands(
            Confinement confinement,
            ControlGroups groups,
            CommandDirectories directories,
            Spawner spawner) {
        this.confinement = confinement;
        this.groups = groups;
        this.directories = directories;
        this.spawner = spawner;
    }

    public Result run(ConfinedCommand command) throws InterruptedException {
        if (!(confinement instanceof Bubblewrap bubblewrap)) {
            throw failed("bubblewrap is required and cannot be used on this host");
        }
        if (!permits.tryAcquire(command.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("too many commands are running; try again later");
        }
        var id = "command-" + UUID.randomUUID();
        try {
            return run(id, command, bubblewrap.forCommands());
        } catch (IOException | IllegalArgumentException e) {
            throw failed("it did not start: " + e.getMessage());
        } finally {
            permits.release();
        }
    }

    private Result run(String id, ConfinedCommand command, Bubblewrap confinement)
            throws IOException, InterruptedException {
        names.add(id);
        var control = directories.create(id);
        try {
            if (command.input().isPresent()) {
                CommandDirectories.allowReading(command.input().get(), command.user());
            }
            var group = groups.of(id);
            var launch = launch(id, control, command, group);
            var markers =
                    new ProcessMarkers(OptionalInt.empty(), launch.info(), MARK + "=" + id, group);
            var stdout = command.output().map(file -> Redirect.to(file.toFile()));
            var wrapped = confinement.command(launch, stdout.orElse(Redirect.PIPE), Redirect.PIPE);
            var started = start(withInput(wrapped, command), markers, group);
            running.put(id, started);
            return finish(started, command.timeout());
        } finally {
            running.remove(id);
            directories.delete(id);
            names.remove(id);
        }
    }

    private Running start(Command command, ProcessMarkers markers, ControlGroup group)
            throws IOException {
        try {
            group.create(LIMITS);
            var process = spawner.spawnWithLimits(command);
            return new Running(process, SandboxProcess.of(process, markers, () -> {}));
        } catch (IOException e) {
            group.destroy();
            throw e;
        }
    }

    private static Launch launch(
            String id, Path control, ConfinedCommand command, ControlGroup group) {
        var variables = new HashMap<>(command.environment());
        variables.put("PATH", HostTools.DEFAULT_PATH);
        variables.put(MARK, id);
        var mounts = new ArrayList<Mount>();
        mounts.add(Mount.temporary("/tmp"));
        mounts.add(command.directory());
        mounts.addAll(command.moreMounts());
        return new Launch(
                control,
                command.user(),
                command.directory(),
                mounts,
                NetworkAccess.NONE,
                group.procsFiles(),
                Rlimits.of(LIMITS),
                List.of("/bin/sh", "-c", checks(command) + command.script()),
                variables);
    }

    /**
     * Returns script lines that verify the identities. A directory may have been replaced by a link
     * after it was checked; by the time these lines run, the mounts are made and no other code has
     * run.
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

    /** Opens the input file as the server's user, before the switch to the command's user. */
    private static Command withInput(Command command, ConfinedCommand request) {
        if (request.input().isEmpty()) {
            return command;
        }
        var file = request.input().get().toString();
        var arguments = new ArrayList<>(List.of("/bin/sh", "-c", REDIRECT_INPUT, "sh", file));
        arguments.addAll(command.arguments());
        return new Command(
                arguments,
                command.environment(),
                command.directory(),
                command.stdout(),
                command.stderr());
    }

    private static Result finish(Running running, Duration timeout) throws InterruptedException {
        var process = running.process();
        var stdout = read(process, process.getInputStream());
        var stderr = read(process, process.getErrorStream());
        boolean exited;
        try {
            exited = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } finally {
            running.tree().kill();
        }
        return new Result(exited ? process.exitValue() : TIMED_OUT, stdout.join(), stderr.join());
    }

    /**
     * Reads output up to the maximum length and discards the rest, so that the command never
     * blocks.
     */
    private static CompletableFuture<String> read(Process process, InputStream in) {
        var text = new CompletableFuture<String>();
        // A virtual thread would pin its carrier while the command writes nothing.
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

    /** Whether a control group belongs to a running command. */
    boolean isRunning(String group) {
        return names.contains(group);
    }

    /** Deletes the directories that a killed server left; its processes died with it. */
    void deleteLeftovers() {
        directories.deleteAllExcept(names);
    }

    @Override
    public void close() {
        running.values().forEach(command -> command.tree().kill());
    }

    private static ApiException failed(String reason) {
        return new ApiException(
                ErrorCode.SANDBOX_FAILED, "Cannot run a command on this directory: " + reason);
    }
}
