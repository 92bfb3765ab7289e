package dev.ash.cli.command;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** The commands that share a first word, in the order of the help; built when asked for. */
public final class Subcommands {
    private final String description;
    private final Map<String, Function<Host, AshCommand>> commands = new LinkedHashMap<>();

    public Subcommands(String description) {
        this.description = description;
    }

    public Subcommands add(String word, Function<Host, AshCommand> command) {
        commands.put(word, command);
        return this;
    }

    public String description() {
        return description;
    }

    public boolean has(String word) {
        return commands.containsKey(word);
    }

    public Map<String, Function<Host, AshCommand>> byWord() {
        return commands;
    }
}
