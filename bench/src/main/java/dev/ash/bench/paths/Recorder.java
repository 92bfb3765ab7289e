package dev.ash.bench.paths;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the methods that the server enters during an operation. Controls the Java agent {@link
 * PathAgent} in the JVM of the server through a socket.
 */
final class Recorder implements AutoCloseable {
    /** Time for asynchronous work of earlier operations. */
    private static final long SETTLE_MILLIS = 300;

    private final Socket socket;
    private final BufferedReader in;
    private final Writer out;

    Recorder(Path portFile) throws IOException {
        int port = Integer.parseInt(Files.readString(portFile).strip());
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8);
    }

    /** An operation, which returns the times of its start and end. */
    interface Operation {
        Window perform() throws IOException, InterruptedException;
    }

    /**
     * The time window of an operation, in {@link System#nanoTime}.
     *
     * @param excludedThreads the name prefix of threads to exclude; empty for none
     */
    record Window(long begin, long end, String excludedThreads) {
        Window(long begin, long end) {
            this(begin, end, "");
        }

        boolean contains(Entry entry) {
            return entry.nanos() >= begin
                    && entry.nanos() <= end
                    && (excludedThreads.isEmpty() || !entry.thread().startsWith(excludedThreads));
        }
    }

    /** Returns the entries within the time window of the operation, in order. */
    List<Entry> record(Operation operation) throws IOException, InterruptedException {
        Thread.sleep(SETTLE_MILLIS);
        command("start");
        var window = operation.perform();
        return command("stop").stream().map(Entry::parse).filter(window::contains).toList();
    }

    private List<String> command(String name) throws IOException {
        out.write(name + "\n");
        out.flush();
        var lines = new ArrayList<String>();
        for (var line = in.readLine(); !"end".equals(line); line = in.readLine()) {
            if (line == null) {
                throw new IOException("the server has exited");
            }
            lines.add(line);
        }
        return lines;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
