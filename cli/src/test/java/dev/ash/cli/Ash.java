package dev.ash.cli;

import dev.ash.cli.command.Host;
import dev.ash.sdk.FakeServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs the command in this process, with a host environment set up by the test. */
public final class Ash {
    /** Exit code and output of a command. */
    public record Result(int exitCode, String out, String err) {}

    private final Path root;
    private final Map<String, String> env = new HashMap<>();
    private String input = "";
    private List<String> typed = List.of();
    private Host.Terminals terminals = Host.Terminals.NONE;

    public Ash(Path root) {
        this.root = root;
        env.put("PATH", System.getenv("PATH"));
        env.put("ASH_DATA_DIR", root.resolve("data").toString());
        env.put("ASH_RECONNECT_MS", "300");
    }

    public Ash with(String name, String value) {
        env.put(name, value);
        return this;
    }

    public Ash server(FakeServer server) {
        return with("ASH_SERVER_URL", server.url()).with("ASH_API_KEY", "ash_key");
    }

    public Ash input(String text) {
        input = text;
        return this;
    }

    /** Types these lines on a terminal, each after a prompt. */
    public Ash typing(String... lines) {
        typed = List.of(lines);
        return terminals(new Host.Terminals(true, false, false));
    }

    public Ash terminals(Host.Terminals which) {
        terminals = which;
        return this;
    }

    /** Returns a host whose input types the lines after prompts on {@code err}. */
    public Host host(ByteArrayOutputStream out, ByteArrayOutputStream err) {
        return host(
                typed.isEmpty()
                        ? new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8))
                        : new PromptedInput(typed, err),
                new PrintStream(out, false, StandardCharsets.UTF_8),
                new PrintStream(err, false, StandardCharsets.UTF_8));
    }

    public Host host(PrintStream out, PrintStream err) {
        return host(new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)), out, err);
    }

    private Host host(InputStream in, PrintStream out, PrintStream err) {
        return new Host(
                env, root.resolve("home"), root, root.resolve("dist"), in, out, err, terminals);
    }

    public Result run(String... args) {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        int code = Main.run(host(out, err), args);
        return new Result(
                code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
