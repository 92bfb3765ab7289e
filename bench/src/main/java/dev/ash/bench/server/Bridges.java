package dev.ash.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The running bridges of a server. */
public final class Bridges {
    private static final String MAIN_CLASS = "dev.ash.bridge.BridgeMain";

    /** A bridge process and its arguments. */
    public record Bridge(long pid, List<String> arguments) {
        public Bridge {
            arguments = List.copyOf(arguments);
        }
    }

    /** Returns the Java processes of bridges, without the launchers around them. */
    public static List<Bridge> of(BenchServer server) throws IOException {
        var bridges = new ArrayList<Bridge>();
        var descendants =
                ProcessHandle.of(server.pid()).stream()
                        .flatMap(ProcessHandle::descendants)
                        .toList();
        for (var process : descendants) {
            var arguments = arguments(process.pid());
            if (arguments.contains(MAIN_CLASS)
                    && !arguments.contains("-c") // sh
                    && !arguments.contains("--info-fd")
                    && !arguments.contains("--train")) {
                bridges.add(new Bridge(process.pid(), arguments));
            }
        }
        return bridges;
    }

    private static List<String> arguments(long pid) {
        try {
            var text = new String(Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline")), UTF_8);
            return List.of(text.split("\0", -1));
        } catch (IOException e) {
            return List.of(); // it has exited
        }
    }

    private Bridges() {}
}
