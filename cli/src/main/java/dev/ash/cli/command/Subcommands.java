package dev.ash.cli.command;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The subcommands of a group, in the order of the help; created on demand. */
public final class Subcommands {
    private final String description;
    private final Map<String, Function<Host, AshCommand>> commands = new LinkedHashMap<>();

    public Subcommands(String description) {
        this.description = description;
    }

    public Subcommands add(String name, Function<Host, AshCommand> command) {
        commands.put(name, command);
        return this;
    }

    public String description() {
        return description;
    }

    public boolean has(String name) {
        return commands.containsKey(name);
    }

    public Map<String, Function<Host, AshCommand>> byName() {
        return commands;
    }
}
