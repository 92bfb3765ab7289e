package dev.ash.cli.agent;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.protocol.SandboxEnvironment;
import dev.ash.protocol.rest.Agent;
import dev.ash.sdk.AshClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A directory to deploy as an agent, with the agent's name and environment. */
public record Deployment(String name, Path directory, Map<String, String> env) {

    public static Deployment of(Host host, String directory, String name, Map<String, String> env) {
        var path = host.resolve(directory);
        var all = new LinkedHashMap<String, String>();
        for (var file : List.of(".env", ".env.local")) {
            all.putAll(variables(path.resolve(file)));
        }
        all.putAll(env);
        for (var variable : all.keySet()) {
            if (SandboxEnvironment.isModelVariable(variable)) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "The variable %s cannot be set for an agent: sandboxes hold no model keys. Store the key with 'ash credentials add' and name it in credentialId of .ash/agent.json."
                                .formatted(variable));
            }
            if (!SandboxEnvironment.isSettableByClients(variable)) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "The variable %s cannot be set for an agent: PATH, HOME, NODE_OPTIONS, JAVA_TOOL_OPTIONS, LD_* and ASH_* are reserved for the server."
                                .formatted(variable));
            }
        }
        return new Deployment(name.isEmpty() ? nameOf(path) : name, path, all);
    }

    public Agent deploy(AshClient client) {
        return client.agents().deploy(name, directory, env);
    }

    public static String describe(Agent agent) {
        var deployed =
                "Deployed %s, version %d".formatted(Printable.line(agent.name()), agent.version());
        var leftOut = agent.leftOut();
        return leftOut == null || leftOut.isEmpty()
                ? deployed
                : deployed + "\nSkipped: " + Printable.line(String.join(", ", leftOut));
    }

    /** Returns the directory's name with invalid characters replaced by dashes. */
    static String nameOf(Path directory) {
        var last = directory.toAbsolutePath().normalize().getFileName();
        var name = last == null ? "" : last.toString();
        var normal = name.replaceAll("[^A-Za-z0-9_-]+", "-").replaceAll("^-+|-+$", "");
        if (normal.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "Cannot derive an agent name from \"%s\". Specify one with -n."
                            .formatted(name));
        }
        return normal.length() > 255 ? normal.substring(0, 255) : normal;
    }

    /** Reads the {@code NAME=VALUE} lines of a file, without quotes and {@code export}. */
    private static Map<String, String> variables(Path file) {
        var env = new LinkedHashMap<String, String>();
        if (!Files.isRegularFile(file)) {
            return env;
        }
        try {
            for (var line : Files.readAllLines(file)) {
                var text = line.strip();
                int equals = text.indexOf('=');
                if (equals > 0 && !text.startsWith("#")) {
                    var name = text.substring(0, equals).strip().replaceFirst("^export\\s+", "");
                    env.put(name, unquote(text.substring(equals + 1).strip()));
                }
            }
            return env;
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + file, e);
        }
    }

    private static String unquote(String value) {
        boolean isQuoted =
                value.length() > 1
                        && (value.startsWith("\"") || value.startsWith("'"))
                        && value.charAt(0) == value.charAt(value.length() - 1);
        return isQuoted ? value.substring(1, value.length() - 1) : value;
    }
}
