package dev.ash.cli.command;

import dev.ash.protocol.json.RawJson;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.Json;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What all subcommands have: a host, a server, and two ways to say what they found. */
public abstract class AshCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print JSON instead of text for people.")
    protected boolean json;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;

    protected final Host host;
    private @Nullable Connection connection;

    protected AshCommand(Host host) {
        this.host = host;
    }

    /** Does the work and tells the exit code. */
    @Override
    public abstract Integer call();

    /** Whether options that follow the first argument are not its own but part of the others. */
    public boolean hasOptionsOnlyInFront() {
        return false;
    }

    protected final Connection connection() {
        if (connection == null) {
            connection = Connection.find(host);
        }
        return connection;
    }

    protected final AshClient client() {
        return connection().client();
    }

    /** The one document of {@code --json}, or the lines for people. */
    protected final int print(Object answer, String text) {
        host.out().println(json ? Json.write(answer).toString() : text);
        return ExitCode.OK;
    }

    protected final int print(RawJson answer, String text) {
        host.out().println(json ? answer.toString() : text);
        return ExitCode.OK;
    }

    /** A remark that is not the result: seen by people, not by pipes. */
    protected final void note(String text) {
        if (!json) {
            host.out().flush();
            host.err().println(text);
            host.err().flush();
        }
    }
}
