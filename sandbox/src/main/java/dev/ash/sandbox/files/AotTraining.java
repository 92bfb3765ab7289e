package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Command;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.LaunchScript;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Creates the AOT cache of Ash's bridge by a training run in the background. Without the cache,
 * bridges only start more slowly, so failures are only logged.
 */
public final class AotTraining implements AutoCloseable {
    private static final Logger LOG = System.getLogger(AotTraining.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final JavaBridge bridge;
    private final Spawner spawner;
    private final Thread thread;

    private volatile boolean closed;

    private AotTraining(JavaBridge bridge, Spawner spawner) {
        this.bridge = bridge;
        this.spawner = spawner;
        this.thread =
                Thread.ofVirtual().name("ash-bridge-training").unstarted(this::tryToCreateCache);
    }

    /** Starts the training, unless the cache exists. */
    public static AotTraining start(JavaBridge bridge, Spawner spawner) {
        var training = new AotTraining(bridge, spawner);
        if (Files.notExists(bridge.directory().resolve(JavaBridge.CACHE))) {
            training.thread.start();
        }
        return training;
    }

    /** Aborts a running training; the next server retries. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void tryToCreateCache() {
        long start = System.nanoTime();
        try {
            createCache();
            long ms = Duration.ofNanos(System.nanoTime() - start).toMillis();
            LOG.log(Level.INFO, "Created the AOT cache of the bridge in {0} ms", ms);
        } catch (IOException e) {
            LOG.log(
                    closed ? Level.DEBUG : Level.WARNING,
                    "Bridges start without an AOT cache: {0}",
                    e.getMessage());
        }
    }

    /**
     * Creates the cache in a temporary directory and moves it atomically: sandboxes may start
     * concurrently.
     */
    private void createCache() throws IOException {
        var runtime = bridge.directory();
        var draft = runtime.resolveSibling(".training-" + UUID.randomUUID());
        FileModes.createDirectory(draft, FileModes.OWNER_ONLY);
        try {
            var cache = draft.resolve(JavaBridge.CACHE);
            var log = draft.resolve("log");
            int code = spawner.run(command(cache, draft, log), TIMEOUT);
            if (code != 0 || Files.notExists(cache)) {
                throw new IOException(
                        "the training run exited with code "
                                + code
                                + ": "
                                + OutputFiles.tail(log, 0));
            }
            FileModes.set(cache, "rw-r--r--");
            Files.move(cache, runtime.resolve(JavaBridge.CACHE), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            new DirectoryTrees(spawner).delete(draft);
        }
    }

    private Command command(Path cache, Path home, Path log) {
        var arguments = new ArrayList<String>();
        arguments.add(bridge.java().host().resolve("bin/java").toString());
        arguments.addAll(JavaBridge.FLAGS);
        arguments.add("-XX:AOTCacheOutput=" + cache);
        arguments.addAll(List.of("-cp", bridge.classPath(bridge.directory())));
        arguments.addAll(List.of(JavaBridge.MAIN_CLASS, "--train"));
        var output = Redirect.appendTo(log.toFile());
        return new Command(arguments, environment(home), home, output, output)
                .withInput(UUID.randomUUID().toString());
    }

    /**
     * Returns the variables of a sandbox, so that the cache includes the classes that read them.
     * The socket is relative to the working directory, because its path is limited to 107 bytes.
     */
    private static Map<String, String> environment(Path home) {
        return Map.of(
                "PATH",
                HostTools.DEFAULT_PATH,
                "HOME",
                home.toString(),
                "ASH_BRIDGE_SOCKET",
                "bridge.sock",
                LaunchScript.NONCE_FD,
                "0",
                "ASH_WORKSPACE_DIR",
                home.toString(),
                "ASH_SESSION_ID",
                "",
                "ASH_SANDBOX_MEMORY_MB",
                "2048",
                "ASH_ENGINE",
                "demo");
    }
}
