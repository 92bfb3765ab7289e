set -e
mkdir -p src/app out
cat > src/app/Main.java <<'EOF'
package app;

import java.io.*;
import java.net.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.concurrent.*;
import java.util.stream.*;

public class Main {
    public static void main(String[] arguments) throws Exception {
        var pool = Executors.newFixedThreadPool(8);
        pool.invokeAll(Stream.generate(() -> (Callable<Integer>) () -> new byte[1 << 20].length).limit(500).toList());
        pool.shutdown();
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var client = new Socket(server.getInetAddress(), server.getLocalPort());
                var accepted = server.accept()) {
            client.getOutputStream().write(7);
            check(accepted.getInputStream().read() == 7);
        }
        try (var file = FileChannel.open(Path.of("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            var buffer = file.map(FileChannel.MapMode.READ_WRITE, 0, 4096);
            buffer.put((byte) 1);
            buffer.force();
            check(file.lock() != null);
        }
        try (var watch = FileSystems.getDefault().newWatchService()) {
            Path.of(".").register(watch, StandardWatchEventKinds.ENTRY_CREATE);
            Files.createTempFile(Path.of("."), "seen", "");
            check(watch.poll(10, TimeUnit.SECONDS) != null);
        }
        check(NetworkInterface.networkInterfaces().anyMatch(each -> each.getName().equals("lo")));
        check(new ProcessBuilder("true").start().waitFor() == 0);
    }

    static void check(boolean holds) {
        if (!holds) {
            throw new AssertionError();
        }
    }
}
EOF
javac -d out src/app/Main.java
jar --create --file app.jar --main-class app.Main -C out .
for collector in G1GC ZGC; do
    java -XX:+Use$collector -XX:+UseNUMA -Xmx256m -jar app.jar
done
