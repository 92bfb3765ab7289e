package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LineProcessTest {
    @TempDir Path directory;

    /**
     * Virtual threads that read from pipes pin their carriers. On a machine with two processors the
     * bridge then hung after 30 s without traffic, when the JDK had terminated the idle carriers:
     * the next prompt never reached the engine.
     */
    @Test
    void readsFromPlatformThreads() throws Exception {
        var threads = new LinkedBlockingQueue<Thread>();
        var process = LineProcess.spawn(List.of("/bin/echo", "{}"), directory, Map.of());

        process.listen(
                new LineProcess.Listener() {
                    @Override
                    public void onLine(RawJson line) {
                        threads.add(Thread.currentThread());
                    }

                    @Override
                    public void onExit(LineProcess.Exit exit) {}
                });

        var reader = threads.poll(30, TimeUnit.SECONDS);
        assertThat(reader).isNotNull();
        assertThat(reader.isVirtual()).isFalse();
        assertThat(reader.isDaemon()).as("the bridge can exit while it reads").isTrue();
    }
}
