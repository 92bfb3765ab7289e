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

/** Base class of subcommands: access to host and server, output as text or JSON. */
public abstract class AshCommand implements Callable<Integer> {
    @Option(names = "--json", description = "Print JSON instead of text.")
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

    /** Runs the command and returns the exit code. */
    @Override
    public abstract Integer call();

    /** Returns whether words after the first argument are not parsed as options. */
    public boolean stopsAtPositional() {
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

    /** Prints the result as a JSON document with {@code --json}, as text otherwise. */
    protected final int print(Object result, String text) {
        host.out().println(json ? Json.write(result).toString() : text);
        return ExitCode.OK;
    }

    protected final int print(RawJson result, String text) {
        host.out().println(json ? result.toString() : text);
        return ExitCode.OK;
    }

    /** Prints a list, and a hint to standard error, so that every line of output is a row. */
    protected final int printList(Object result, String rows, String hint) {
        if (json || !rows.isEmpty()) {
            print(result, rows);
        }
        if (!hint.isEmpty()) {
            note(hint);
        }
        return ExitCode.OK;
    }

    /**
     * Prints an object in a member named after its kind, and its members also at the top level, for
     * scripts written for earlier versions.
     */
    protected final int printWithTopLevelMembers(String kind, Object object, String text) {
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

    /** Prints a remark to standard error, unless {@code --json} is set. */
    protected final void note(String text) {
        if (!json) {
            host.out().flush();
            host.err().println(text);
            host.err().flush();
        }
    }
}
