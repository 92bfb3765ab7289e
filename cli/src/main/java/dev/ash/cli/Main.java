package dev.ash.cli;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.mcp.McpCommands;
import dev.ash.cli.server.ServerCommands;
import dev.ash.cli.server.ServerTraining;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.sdk.AshApiException;
import dev.ash.sdk.AshException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** Entry point of the {@code ash} command: runs the subcommand and reports failures. */
public final class Main {
    private final Host host;
    private final List<String> arguments;
    private final boolean json;

    private Main(Host host, List<String> arguments) {
        this.host = host;
        this.arguments = arguments;
        this.json = arguments.contains("--json");
    }

    public static void main(String[] args) {
        var host = Host.real();
        int code = run(host, args);
        host.out().flush();
        host.err().flush();
        // A closed pipe (`ash … | head`) must not exit with success.
        System.exit(code == ExitCode.OK && host.out().checkError() ? ExitCode.FAILED : code);
    }

    /** Runs one command line and returns its exit code. */
    static int run(Host host, String... args) {
        try {
            return new Main(host, normalize(args)).run();
        } finally {
            host.out().flush();
            host.err().flush();
        }
    }

    /** Replaces {@code help x} by {@code x --help} and moves a leading {@code --json}. */
    private static List<String> normalize(String... args) {
        var words = new ArrayList<>(Arrays.asList(args));
        if (words.isEmpty()) {
            words.add("--help");
        }
        if (words.getFirst().equals("--version") || words.getFirst().equals("-V")) {
            words.set(0, "version");
        }
        if (words.getFirst().equals("help")) {
            words.removeFirst();
            words.add("--help");
        }
        if (words.size() > 1 && words.getFirst().equals("--json")) {
            words.removeFirst();
            var second = words.size() > 1 ? words.get(1) : "";
            int position = CommandTree.isGroupCommand(words.getFirst(), second) ? 2 : 1;
            words.add(Math.min(words.size(), position), "--json");
        }
        return words;
    }

    private int run() {
        if (arguments.getFirst().equals("__train")) {
            return AotTraining.run(host);
        }
        if (arguments.getFirst().equals("__train-server")) {
            return ServerTraining.run(host, Path.of(arguments.get(1)));
        }
        var direct =
                ServerCommands.parse(host, arguments).or(() -> McpCommands.parse(host, arguments));
        if (direct.isPresent()) {
            return run(direct.get());
        }
        var line =
                CommandTree.of(
                        host, arguments.getFirst(), arguments.size() > 1 ? arguments.get(1) : "");
        line.setOut(writer(host.out()));
        line.setErr(writer(host.err()));
        line.setColorScheme(
                CommandLine.Help.defaultColorScheme(
                        host.terminals().out() && host.variable("NO_COLOR", "").isEmpty()
                                ? Ansi.ON
                                : Ansi.OFF));
        line.setParameterExceptionHandler((error, _) -> report(error));
        line.setExecutionExceptionHandler((failure, _, _) -> report(failure));
        return line.execute(arguments.toArray(String[]::new));
    }

    private int run(AshCommand command) {
        try {
            return command.call();
        } catch (RuntimeException e) {
            return report(e);
        }
    }

    private int report(ParameterException error) {
        var name = error.getCommandLine().getCommandSpec().qualifiedName();
        var message = String.valueOf(error.getMessage());
        if (error instanceof CommandLine.UnmatchedArgumentException unmatched) {
            var similar = unmatched.getSuggestions();
            if (!similar.isEmpty()) {
                message += " (did you mean " + String.join(" or ", similar) + "?)";
            }
        }
        return print(ExitCode.USAGE, message + ". See `" + name + " --help`.", null);
    }

    private int report(Throwable failure) {
        return switch (failure) {
            case CommandException known -> print(known.exitCode(), known.getMessage(), null);
            case AshApiException error when error.status() == 401 ->
                    print(
                            ExitCode.UNAUTHORIZED,
                            withPeriod(error.getMessage())
                                    + " "
                                    + Connection.find(host).keyAdvice(),
                            error);
            // Other errors with this code, such as that of a fork, are not fixed by resuming.
            case AshApiException error
                    when error.is(ErrorCode.SESSION_NOT_ACTIVE)
                            && error.getMessage().contains("resume") ->
                    print(
                            ExitCode.CONFLICT,
                            withPeriod(error.getMessage())
                                    + " Run `ash session resume "
                                    + error.sessionId().orElse("SESSION")
                                    + "`.",
                            error);
            case AshException known -> print(ExitCode.of(known), known.getMessage(), known);
            case IllegalArgumentException invalid -> print(ExitCode.FAILED, message(invalid), null);
            case UncheckedIOException io ->
                    print(
                            ExitCode.FAILED,
                            message(io) + ": " + IoReason.of(io.getCause()) + ".",
                            null);
            default -> reportUnexpected(failure);
        };
    }

    private int print(int code, String message, @Nullable AshException failure) {
        host.out().flush();
        if (json) {
            var document = JsonWriter.object().put("error", message).put("exitCode", code);
            if (failure instanceof AshApiException error) {
                document.put("code", error.code().orElse(null));
                document.put("statusCode", error.status());
                document.put("sessionId", error.sessionId().orElse(null));
            }
            host.err().println(document.end());
        } else {
            host.err().println("ash: " + Printable.text(message));
        }
        return code;
    }

    private int reportUnexpected(Throwable failure) {
        if (!host.variable("ASH_DEBUG", "").isEmpty()) {
            failure.printStackTrace(host.err());
        }
        return print(
                ExitCode.FAILED,
                "Unexpected error: %s. Set ASH_DEBUG=1 to print the stack trace."
                        .formatted(failure),
                null);
    }

    private static PrintWriter writer(PrintStream out) {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
    }

    private static String withPeriod(String message) {
        return message.endsWith(".") ? message : message + ".";
    }

    private static String message(Throwable failure) {
        var message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }
}
