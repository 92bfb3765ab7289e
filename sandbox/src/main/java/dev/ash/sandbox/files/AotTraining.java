package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Command;
import dev.ash.sandbox.launch.HostTools;
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
 * Records the class data of our bridge in a run of its own, in the background. Without it bridges
 * start more slowly and all else is the same, so a failure is a line in the log.
 */
public final class AotTraining implements AutoCloseable {
    private static final Logger LOG = System.getLogger(AotTraining.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final JavaBridge bridge;
    private final Spawner spawner;
    private final Thread thread;

    private volatile boolean closed;

    private AotTraining(JavaBridge bridge, Spawner spawner) {
        this.bridge = bridge;
        this.spawner = spawner;
        this.thread = Thread.ofVirtual().name("ash-bridge-training").unstarted(this::tryToRecord);
    }

    /** Begins, unless there is a record already. */
    public static AotTraining start(JavaBridge bridge, Spawner spawner) {
        var training = new AotTraining(bridge, spawner);
        if (Files.notExists(bridge.folder().resolve(JavaBridge.CACHE))) {
            training.thread.start();
        }
        return training;
    }

    /** Breaks off what is not finished; the next server tries again. */
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

    private void tryToRecord() {
        long begun = System.nanoTime();
        try {
            record();
            long ms = Duration.ofNanos(System.nanoTime() - begun).toMillis();
            LOG.log(Level.INFO, "Recorded the bridge''s class data in {0} ms", ms);
        } catch (IOException e) {
            LOG.log(
                    closed ? Level.DEBUG : Level.WARNING,
                    "Bridges start without recorded class data: {0}",
                    e.getMessage());
        }
    }

    /** In a folder beside the runtime, and moved there whole: sandboxes may start meanwhile. */
    private void record() throws IOException {
        var runtime = bridge.folder();
        var draft = runtime.resolveSibling(".training-" + UUID.randomUUID());
        Modes.folder(draft, Modes.OWNER_ONLY);
        try {
            var cache = draft.resolve(JavaBridge.CACHE);
            var log = draft.resolve("log");
            int code = spawner.run(command(cache, draft, log), PATIENCE);
            if (code != 0 || Files.notExists(cache)) {
                throw new IOException(
                        "the training run ended with code " + code + ": " + LogFiles.tail(log, 0));
            }
            Modes.set(cache, "rw-r--r--");
            Files.move(cache, runtime.resolve(JavaBridge.CACHE), StandardCopyOption.ATOMIC_MOVE);
        } finally {
            new Trees(spawner).delete(draft);
        }
    }

    private Command command(Path cache, Path home, Path log) {
        var words = new ArrayList<String>();
        words.add(bridge.java().host().resolve("bin/java").toString());
        words.addAll(JavaBridge.FLAGS);
        words.add("-XX:AOTCacheOutput=" + cache);
        words.addAll(List.of("-cp", bridge.classPath(bridge.folder())));
        words.addAll(List.of(JavaBridge.MAIN_CLASS, "--train"));
        var output = Redirect.appendTo(log.toFile());
        var environment = Map.of("PATH", HostTools.DEFAULT_PATH, "HOME", home.toString());
        return new Command(words, environment, home, output, output);
    }
}
