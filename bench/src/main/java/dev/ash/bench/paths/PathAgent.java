package dev.ash.bench.paths;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.lang.instrument.Instrumentation;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The Java agent in the server: transforms its classes and serves the {@link Recorder} on a
 * loopback port, which it writes to the file in its argument.
 */
public final class PathAgent {
    public static void premain(String portFile, Instrumentation instrumentation)
            throws IOException {
        instrumentation.addTransformer(new EntryTransform());
        var listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("path-agent").start(() -> serve(listener));
        var temporary = Path.of(portFile + ".part");
        Files.writeString(temporary, Integer.toString(listener.getLocalPort()));
        Files.move(temporary, Path.of(portFile), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void serve(ServerSocket listener) {
        try (listener;
                var socket = listener.accept()) {
            serve(socket);
        } catch (IOException e) {
            System.err.println("path agent: " + e);
        }
    }

    private static void serve(Socket socket) throws IOException {
        var in =
                new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        var out =
                new PrintWriter(
                        new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("start")) {
                EntryLog.start();
            } else {
                EntryLog.stop().forEach(out::println);
            }
            out.println("end");
            out.flush();
        }
    }

    private PathAgent() {}
}
