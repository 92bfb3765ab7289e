package dev.ash.cli.session;

import dev.ash.cli.command.Host;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash session exec}. */
@Command(
        name = "exec",
        description = "Run a shell command in a session's workspace.",
        footer = "Put options of ash before SESSION. Exits with the exit code of the command.")
final class SessionExecCommand extends SessionCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "Command for /bin/sh.")
    List<String> command = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "MS",
            description = "Timeout in milliseconds. Default: ${DEFAULT-VALUE}.")
    long timeout = 30_000;

    SessionExecCommand(Host host) {
        super(host);
    }

    /** Words after the session are the command to run, with its own options. */
    @Override
    public boolean stopsAtPositional() {
        return true;
    }

    @Override
    Integer run() {
        var result = sessions().exec(id, String.join(" ", command), Duration.ofMillis(timeout));
        if (json) {
            print(result, "");
        } else {
            host.out().print(result.stdout());
            host.out().flush();
            host.err().print(result.stderr());
        }
        return result.exitCode();
    }
}
