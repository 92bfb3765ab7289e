package dev.ash.bridge.acp;

import dev.ash.protocol.json.MalformedJsonException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Maps the tools of agents to those of Claude: by the agent's name of the tool if it is known, else
 * by the kind of the call if that is certain. Other tools keep the agent's name.
 */
final class ToolNames {
    static final String COMMAND = "Bash";
    static final String EDIT = "Edit";
    static final String WRITE = "Write";
    static final String READ = "Read";
    static final String TODO = "TodoWrite";

    /** Tools that only read in the workspace, or manage the model's own lists. */
    static final Set<String> HARMLESS =
            Set.of(READ, "Glob", "Grep", "LS", TODO, "TodoRead", "NotebookRead");

    /** The lower-case names of opencode, goose, Gemini and others. */
    private static final Map<String, String> CLAUDE =
            Map.ofEntries(
                    Map.entry("bash", COMMAND),
                    Map.entry("shell", COMMAND),
                    Map.entry("run_shell_command", COMMAND),
                    Map.entry("execute_command", COMMAND),
                    Map.entry("terminal", COMMAND),
                    Map.entry("edit", EDIT),
                    Map.entry("replace", EDIT),
                    Map.entry("str_replace", EDIT),
                    Map.entry("text_editor", EDIT),
                    Map.entry("apply_patch", EDIT),
                    Map.entry("patch", EDIT),
                    Map.entry("multiedit", "MultiEdit"),
                    Map.entry("write", WRITE),
                    Map.entry("write_file", WRITE),
                    Map.entry("create_file", WRITE),
                    Map.entry("read", READ),
                    Map.entry("read_file", READ),
                    Map.entry("view", READ),
                    Map.entry("grep", "Grep"),
                    Map.entry("grep_search", "Grep"),
                    Map.entry("search_file_content", "Grep"),
                    Map.entry("glob", "Glob"),
                    Map.entry("list", "LS"),
                    Map.entry("ls", "LS"),
                    Map.entry("list_directory", "LS"),
                    Map.entry("tree", "LS"),
                    Map.entry("webfetch", "WebFetch"),
                    Map.entry("web_fetch", "WebFetch"),
                    Map.entry("websearch", "WebSearch"),
                    Map.entry("web_search", "WebSearch"),
                    Map.entry("google_web_search", "WebSearch"),
                    Map.entry("todowrite", TODO),
                    Map.entry("todo_write", TODO),
                    Map.entry("write_todos", TODO),
                    Map.entry("todoread", "TodoRead"),
                    Map.entry("todo_read", "TodoRead"),
                    Map.entry("task", "Task"),
                    Map.entry("delegate", "Task"));

    /** Built-in extensions, whose name goose puts before the names of its tools. */
    private static final List<String> PREFIXES = List.of("developer__", "todo__");

    private final List<String> servers;

    /** {@code servers} are the names of the session's MCP servers. */
    ToolNames(Collection<String> servers) {
        this.servers =
                servers.stream()
                        .sorted(Comparator.comparingInt(String::length).reversed())
                        .toList();
    }

    String of(AcpCall call) throws MalformedJsonException {
        var server = mcpTool(call.name());
        if (server.isPresent()) {
            return server.get();
        }
        return switch (call.kind()) {
            case "execute" -> COMMAND;
            case "edit" -> edit(call);
            case "read" -> known(call.name(), READ);
            case "fetch" -> known(call.name(), "WebFetch");
            default -> known(call.name(), call.name().isEmpty() ? untitled(call) : call.name());
        };
    }

    private static String edit(AcpCall call) throws MalformedJsonException {
        var known = known(call.name(), "");
        if (!known.isEmpty()) {
            return known;
        }
        var change = call.change();
        boolean creates = change.isPresent() && change.get().string("oldText").orElse("").isEmpty();
        return creates ? WRITE : EDIT;
    }

    private static String known(String name, String other) {
        var plain = name.toLowerCase(Locale.ROOT);
        for (var prefix : PREFIXES) {
            if (plain.startsWith(prefix)) {
                plain = plain.substring(prefix.length());
            }
        }
        return CLAUDE.getOrDefault(plain, other);
    }

    private static String untitled(AcpCall call) {
        var title = call.title().strip();
        return title.isEmpty() ? "tool" : title.lines().findFirst().orElse("tool");
    }

    /** Agents put the name of the server before that of the tool, with different separators. */
    private Optional<String> mcpTool(String name) {
        var plain = name;
        for (var prefix : List.of("mcp__", "mcp_")) {
            if (plain.startsWith(prefix)) {
                plain = plain.substring(prefix.length());
                break;
            }
        }
        for (var server : servers) {
            for (var form : List.of(server, server.replaceAll("[^A-Za-z0-9_-]", "_"))) {
                if (plain.startsWith(form) && plain.length() > form.length()) {
                    var tool = plain.substring(form.length());
                    for (var separator : List.of("__", "_", ".", "/", "-")) {
                        if (tool.startsWith(separator) && tool.length() > separator.length()) {
                            return Optional.of(
                                    "mcp__%s__%s"
                                            .formatted(server, tool.substring(separator.length())));
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }
}
