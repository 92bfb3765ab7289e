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

/** Starts and ends recordings in the JVM of the server, see {@link PathAgent}. */
final class Recorder implements AutoCloseable {
    /** For what earlier operations caused and nobody waits for. */
    private static final long REST_MILLIS = 300;

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

    /** An operation, which returns when it began and ended. */
    interface Operation {
        Window perform() throws IOException, InterruptedException;
    }

    /**
     * The time of an operation, on the clock of {@link System#nanoTime}.
     *
     * @param except threads with this name have no part in it; empty where there are none
     */
    record Window(long begin, long end, String except) {
        Window(long begin, long end) {
            this(begin, end, "");
        }

        boolean contains(Entry entry) {
            return entry.nanos() >= begin
                    && entry.nanos() <= end
                    && (except.isEmpty() || !entry.thread().startsWith(except));
        }
    }

    /** The entries within the time of the operation, in their order. */
    List<Entry> record(Operation operation) throws IOException, InterruptedException {
        Thread.sleep(REST_MILLIS);
        command("start");
        var window = operation.perform();
        return command("stop").stream().map(Entry::parse).filter(window::contains).toList();
    }

    private List<String> command(String word) throws IOException {
        out.write(word + "\n");
        out.flush();
        var lines = new ArrayList<String>();
        for (var line = in.readLine(); !"end".equals(line); line = in.readLine()) {
            if (line == null) {
                throw new IOException("the server ended");
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
