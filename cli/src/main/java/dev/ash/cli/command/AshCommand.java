package dev.ash.cli.command;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
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

    /** A list; people get the hint on standard error, so that every line of output is a row. */
    protected final int printList(Object answer, String rows, String hint) {
        if (json || !rows.isEmpty()) {
            print(answer, rows);
        }
        if (!hint.isEmpty()) {
            note(hint);
        }
        return ExitCode.OK;
    }

    /**
     * A single object in a member that names its kind, like every other one. Its members are also
     * at the top level, where scripts for earlier versions read them.
     */
    protected final int printAlso(String kind, Object object, String text) {
        if (!json) {
            return print(object, text);
        }
        var raw = Json.write(object);
        var document = JsonWriter.object().put(kind, raw);
        try {
            var members = JsonObject.parse(raw);
            members.names().forEach(name -> document.put(name, members.raw(name).orElse(null)));
        } catch (MalformedJsonException e) {
            throw new IllegalArgumentException(kind + " is not an object", e);
        }
        return print(document.end(), "");
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
