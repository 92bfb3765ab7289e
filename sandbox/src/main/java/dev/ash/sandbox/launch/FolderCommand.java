package dev.ash.sandbox.launch;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One shell command on a folder of the host that no sandbox is there for. It sees the system's
 * programs, that folder and what else it is shown, nothing else of the host and no network, and
 * runs as the folder's owner.
 */
public final class FolderCommand implements AutoCloseable {
    private static final int TIMED_OUT = 124;

    private final HostTools tools;
    private final Spawner spawner = new Spawner();

    public FolderCommand(HostTools tools) {
        this.tools = tools;
    }

    /** {@code stdout} without its end where there was too much of it. */
    public record Result(int exitCode, String stdout, String stderr) {}

    /** {@code owner}: absent where that is the server's own user. */
    public Result run(
            Path folder,
            Optional<HostUser> owner,
            String command,
            Map<String, String> environment,
            Duration timeout)
            throws InterruptedException {
        return run(
                Mount.writable(folder, folder.toString()),
                List.of(),
                owner,
                command,
                environment,
                timeout);
    }

    /** The same with more to see; it runs in {@code folder}. */
    public Result run(
            Mount folder,
            List<Mount> more,
            Optional<HostUser> owner,
            String command,
            Map<String, String> environment,
            Duration timeout)
            throws InterruptedException {
        var variables = new HashMap<>(environment);
        variables.put("PATH", HostTools.DEFAULT_PATH);
        try {
            var process =
                    spawner.spawnWithLimits(
                            new Command(
                                    words(folder, more, owner, command),
                                    variables,
                                    Path.of("/"),
                                    Redirect.PIPE,
                                    Redirect.PIPE));
            return finish(process, timeout);
        } catch (IOException e) {
            throw failed("it could not be started: " + e.getMessage());
        }
    }

    private List<String> words(
            Mount folder, List<Mount> more, Optional<HostUser> owner, String command) {
        var bubblewrap =
                tools.bubblewrap().orElseThrow(() -> failed("bubblewrap is not installed"));
        var words = new ArrayList<>(tools.prefix(owner));
        words.add(bubblewrap.toString());
        words.addAll(List.of("--unshare-all", "--unshare-user", "--die-with-parent"));
        words.addAll(List.of("--new-session", "--cap-drop", "ALL"));
        words.addAll(HostRoot.arguments(Path.of("/")));
        words.addAll(List.of("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"));
        bind(words, folder);
        more.forEach(mount -> bind(words, mount));
        words.addAll(List.of("--remount-ro", "/", "--chdir", folder.target()));
        words.addAll(List.of("--", "/bin/sh", "-c", command));
        return words;
    }

    private static void bind(List<String> words, Mount mount) {
        words.add(mount.access() == Mount.Access.READ ? "--ro-bind" : "--bind");
        words.addAll(List.of(mount.source().toString(), mount.target()));
    }

    private static Result finish(Process process, Duration timeout) throws InterruptedException {
        var stdout = read(process, process.getInputStream());
        var stderr = read(process, process.getErrorStream());
        try {
            boolean ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            return new Result(
                    ended ? process.exitValue() : TIMED_OUT, stdout.join(), stderr.join());
        } finally {
            process.destroyForcibly();
        }
    }

    /** What is more than can be shown is read and dropped. */
    private static CompletableFuture<String> read(Process process, InputStream in) {
        var text = new CompletableFuture<String>();
        Thread.ofVirtual()
                .name("folder-command-" + process.pid())
                .start(
                        () -> {
                            try (in) {
                                var bytes = in.readNBytes(Limits.MAX_EXEC_OUTPUT_BYTES);
                                in.transferTo(java.io.OutputStream.nullOutputStream());
                                text.complete(new String(bytes, StandardCharsets.UTF_8));
                            } catch (IOException e) {
                                text.complete("");
                            }
                        });
        return text;
    }

    @Override
    public void close() {
        spawner.close();
    }

    private static ApiException failed(String why) {
        return new ApiException(
                ErrorCode.SANDBOX_FAILED, "No command can be run on that folder: " + why);
    }
}
