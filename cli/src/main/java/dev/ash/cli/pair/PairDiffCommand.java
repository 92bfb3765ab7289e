package dev.ash.cli.pair;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.PairApi.Pair;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash pair diff}. */
@Command(name = "diff", description = "Show the changes of a run with git diff in the repository.")
final class PairDiffCommand extends PairCommand {
    @Option(names = "--stat", description = "Show a summary of changed files only.")
    boolean stat;

    PairDiffCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var pair = pair();
        if (!PairText.hasCommits(pair)) {
            return print(JsonWriter.object().put("diff", "").end(), "No changes.");
        }
        try {
            return diff(pair);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot run git", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED;
        }
    }

    private int diff(Pair pair) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("git", "-C", pair.repository(), "diff"));
        if (stat) {
            command.add("--stat");
        }
        command.add(pair.base() + ".." + pair.head());
        command.add("--");
        var builder = new ProcessBuilder(command);
        builder.environment().clear();
        builder.environment().putAll(host.env());
        boolean isTerminal = host.terminals().out() && !json;
        if (isTerminal) {
            builder.inheritIO(); // with git's colors and pager
        } else {
            builder.redirectErrorStream(true);
        }
        host.out().flush();
        var process = builder.start();
        if (!isTerminal) {
            process.getOutputStream().close();
            copyOutput(process);
        }
        int code = process.waitFor();
        if (code != 0) {
            throw new CommandException(
                    "git diff %s..%s failed in %s."
                            .formatted(
                                    PairText.commit(pair.base()),
                                    PairText.commit(pair.head()),
                                    pair.repository()));
        }
        return ExitCode.OK;
    }

    private void copyOutput(Process process) throws IOException {
        if (json) {
            var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            host.out().println(JsonWriter.object().put("diff", text).end());
        } else {
            process.getInputStream().transferTo(host.out());
        }
    }
}
