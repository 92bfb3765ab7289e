package dev.ash.server.gateway;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The estimated risk of a tool call, based on the tool and its arguments. It is only displayed to
 * the user; no decision depends on it.
 */
enum Risk {
    LOW,
    MEDIUM,
    HIGH,
    CRITICAL;

    private static final Set<String> READ_TOOLS =
            Set.of("read", "glob", "grep", "ls", "notebookread", "todowrite", "websearch");
    private static final Set<String> WRITE_TOOLS =
            Set.of("edit", "multiedit", "write", "notebookedit", "webfetch", "task", "agent");
    private static final Set<String> SHELLS = Set.of("bash", "shell", "run_command", "exec");

    /** Commands that cannot be undone or affect more than the project. */
    private static final List<Pattern> CRITICAL_COMMANDS =
            patterns(
                    "\\brm\\s+(-\\w+\\s+)*-\\w*[rRf]", // recursive or forced
                    "\\b(mkfs|shred|wipefs|fdisk|parted)\\b",
                    "\\bdd\\b.*\\bof=",
                    "\\bgit\\s+push\\b.*(--force|\\s-f\\b|--mirror|--delete)",
                    "\\bgit\\s+(reset\\s+--hard|clean\\s+-\\w*f|filter-branch)",
                    "(curl|wget)\\b[^|;&]*\\|\\s*(sudo\\s+)?(ba|z|da)?sh\\b", // runs a download
                    "\\b(sudo|su|doas)\\b",
                    "\\bchmod\\s+(-R\\s+)?[0-7]*777\\b",
                    "\\b(drop\\s+(table|database)|truncate\\s+table)\\b",
                    ":\\(\\)\\s*\\{",
                    ">\\s*/dev/(sd|nvme|vd)",
                    "\\b(terraform|kubectl|helm)\\s+(destroy|delete|uninstall)\\b",
                    "\\b(shutdown|reboot|halt|poweroff)\\b");

    private static final Pattern READ_ONLY_COMMAND =
            Pattern.compile(
                    "\\s*(ls|cat|head|tail|pwd|echo|wc|grep|rg|find|stat|file|which|date|whoami|id|env|"
                            + "git\\s+(status|log|diff|show|branch|rev-parse|blame))(\\s+[^;&|><`$]*)?",
                    Pattern.DOTALL);

    private static final Pattern COMMAND_SEPARATORS = Pattern.compile("&&|\\|\\||[;|\\n]");
    private static final Pattern WORD_SEPARATORS = Pattern.compile("[\\s'\"=]+");
    private static final Pattern FIND_ACTIONS =
            Pattern.compile("-(exec|execdir|delete|ok|fprint\\w*)\\b");

    /** Files that hold credentials or run programs. */
    private static final Pattern SENSITIVE_FILES =
            Pattern.compile(
                    "(^|/)(\\.ssh/|\\.env(\\.|$)|\\.git/hooks/|\\.git/config$|\\.claude/|\\.npmrc$|\\.netrc$|id_[a-z0-9]+$|authorized_keys$)"
                            + "|^/etc/|\\.pem$|\\.key$");

    private static List<Pattern> patterns(String... texts) {
        return List.of(texts).stream()
                .map(text -> Pattern.compile(text, Pattern.CASE_INSENSITIVE | Pattern.DOTALL))
                .toList();
    }

    /**
     * Estimates the risk of a tool call.
     *
     * @param command the command line of a shell, or empty
     * @param file the file that is read or written, or empty
     */
    static Risk of(String tool, String command, String file) {
        var name = tool.toLowerCase(Locale.ROOT);
        if (SHELLS.contains(name)) {
            return ofCommand(command);
        }
        if (SENSITIVE_FILES.matcher(file).find()) {
            return HIGH;
        }
        if (READ_TOOLS.contains(name)) {
            return LOW;
        }
        return WRITE_TOOLS.contains(name) || !name.startsWith("mcp__") ? MEDIUM : HIGH;
    }

    private static Risk ofCommand(String command) {
        if (CRITICAL_COMMANDS.stream().anyMatch(pattern -> pattern.matcher(command).find())) {
            return CRITICAL;
        }
        for (var part : COMMAND_SEPARATORS.splitAsStream(command).toList()) {
            if (!READ_ONLY_COMMAND.matcher(part).matches() || FIND_ACTIONS.matcher(part).find()) {
                return HIGH;
            }
        }
        return WORD_SEPARATORS
                        .splitAsStream(command)
                        .anyMatch(word -> SENSITIVE_FILES.matcher(word).find())
                ? HIGH
                : LOW;
    }

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
