package dev.ash.cli;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.mcp.McpCommands;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.ParameterException;

/** The {@code ash} command: finds the subcommand, runs it, and words whatever goes wrong. */
public final class Main {
    private final Host host;
    private final List<String> words;
    private final boolean json;

    private Main(Host host, List<String> words) {
        this.host = host;
        this.words = words;
        this.json = words.contains("--json");
    }

    public static void main(String[] args) {
        var host = Host.real();
        int code = run(host, args);
        host.out().flush();
        host.err().flush();
        // A reader that went away (`ash … | head`) is no failure of ours, but no success either.
        System.exit(code == ExitCode.OK && host.out().checkError() ? ExitCode.FAILED : code);
    }

    /** Runs one command line and tells its exit code. */
    static int run(Host host, String... args) {
        try {
            return new Main(host, arranged(args)).run();
        } finally {
            host.out().flush();
            host.err().flush();
        }
    }

    /** {@code help x} means {@code x --help}; {@code --json} may stand before the command. */
    private static List<String> arranged(String... args) {
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
            int place = Commands.isTwoWords(words.getFirst(), second) ? 2 : 1;
            words.add(Math.min(words.size(), place), "--json");
        }
        return words;
    }

    private int run() {
        if (words.getFirst().equals("__train")) {
            return Training.run(host);
        }
        var plain = McpCommands.plain(host, words);
        if (plain.isPresent()) {
            return run(plain.get());
        }
        var line = Commands.of(host, words.getFirst(), words.size() > 1 ? words.get(1) : "");
        line.setOut(writer(host.out()));
        line.setErr(writer(host.err()));
        line.setColorScheme(
                CommandLine.Help.defaultColorScheme(
                        host.terminals().out() && host.variable("NO_COLOR", "").isEmpty()
                                ? Ansi.ON
                                : Ansi.OFF));
        line.setParameterExceptionHandler((wrong, _) -> explain(wrong));
        line.setExecutionExceptionHandler((failure, _, _) -> explain(failure));
        return line.execute(words.toArray(String[]::new));
    }

    private int run(AshCommand command) {
        try {
            return command.call();
        } catch (RuntimeException e) {
            return explain(e);
        }
    }

    private int explain(ParameterException wrong) {
        var name = wrong.getCommandLine().getCommandSpec().qualifiedName();
        var sentence = String.valueOf(wrong.getMessage());
        if (wrong instanceof CommandLine.UnmatchedArgumentException unmatched) {
            var similar = unmatched.getSuggestions();
            if (!similar.isEmpty()) {
                sentence += " (did you mean " + String.join(" or ", similar) + "?)";
            }
        }
        return say(ExitCode.USAGE, sentence + ". See `" + name + " --help`.", null);
    }

    private int explain(Throwable failure) {
        return switch (failure) {
            case Failure known -> say(known.exitCode(), known.message(), null);
            case AshApiException refusal when refusal.status() == 401 ->
                    say(
                            ExitCode.UNAUTHORIZED,
                            sentence(refusal) + " " + Connection.find(host).keyAdvice(),
                            refusal);
            // Other refusals with this code, such as that of a fork, are not about resuming.
            case AshApiException refusal
                    when refusal.is(ErrorCode.SESSION_NOT_ACTIVE)
                            && refusal.message().contains("resume") ->
                    say(
                            ExitCode.CONFLICT,
                            sentence(refusal)
                                    + " Here: ash session resume "
                                    + refusal.sessionId().orElse("SESSION"),
                            refusal);
            case AshException known -> say(ExitCode.of(known), known.message(), known);
            case IllegalArgumentException bad -> say(ExitCode.FAILED, message(bad), null);
            case UncheckedIOException io ->
                    say(
                            ExitCode.FAILED,
                            message(io) + ": " + IoReason.of(io.getCause()) + ".",
                            null);
            default -> unforeseen(failure);
        };
    }

    private int say(int code, String sentence, @Nullable AshException failure) {
        host.out().flush();
        if (json) {
            var document = JsonWriter.object().put("error", sentence).put("exitCode", code);
            if (failure instanceof AshApiException refusal) {
                document.put("code", refusal.code().orElse(null));
                document.put("statusCode", refusal.status());
                document.put("sessionId", refusal.sessionId().orElse(null));
            }
            host.err().println(document.end());
        } else {
            host.err().println("ash: " + Printable.text(sentence));
        }
        return code;
    }

    private int unforeseen(Throwable failure) {
        if (!host.variable("ASH_DEBUG", "").isEmpty()) {
            failure.printStackTrace(host.err());
        }
        return say(
                ExitCode.FAILED,
                "This should not have happened: %s. With ASH_DEBUG=1 the command tells where."
                        .formatted(failure),
                null);
    }

    private static PrintWriter writer(PrintStream out) {
        return new PrintWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8), true);
    }

    private static String sentence(AshApiException refusal) {
        var sentence = refusal.message();
        return sentence.endsWith(".") ? sentence : sentence + ".";
    }

    private static String message(Throwable failure) {
        var message = failure.getMessage();
        return message == null ? failure.toString() : message;
    }
}
