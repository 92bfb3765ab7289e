package dev.ash.server.gateway;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * How much harm a tool call could do, guessed from the tool and its arguments, for a person who has
 * a second to look. It decides nothing.
 */
enum Risk {
    LOW,
    MEDIUM,
    HIGH,
    CRITICAL;

    private static final Set<String> READERS =
            Set.of("read", "glob", "grep", "ls", "notebookread", "todowrite", "websearch");
    private static final Set<String> WRITERS =
            Set.of("edit", "multiedit", "write", "notebookedit", "webfetch", "task", "agent");
    private static final Set<String> SHELLS = Set.of("bash", "shell", "run_command", "exec");

    /** What cannot be undone, or takes over more than the project. */
    private static final List<Pattern> CRITICAL_COMMANDS =
            patterns(
                    "\\brm\\s+(-\\w+\\s+)*-\\w*[rRf]", // recursive or forced
                    "\\b(mkfs|shred|wipefs|fdisk|parted)\\b",
                    "\\bdd\\b.*\\bof=",
                    "\\bgit\\s+push\\b.*(--force|\\s-f\\b|--mirror|--delete)",
                    "\\bgit\\s+(reset\\s+--hard|clean\\s+-\\w*f|filter-branch)",
                    "(curl|wget)\\b[^|;&]*\\|\\s*(sudo\\s+)?(ba|z|da)?sh\\b", // run what comes
                    "\\b(sudo|su|doas)\\b",
                    "\\bchmod\\s+(-R\\s+)?[0-7]*777\\b",
                    "\\b(drop\\s+(table|database)|truncate\\s+table)\\b",
                    ":\\(\\)\\s*\\{",
                    ">\\s*/dev/(sd|nvme|vd)",
                    "\\b(terraform|kubectl|helm)\\s+(destroy|delete|uninstall)\\b",
                    "\\b(shutdown|reboot|halt|poweroff)\\b");

    /** What only looks: every part of the command must be one of these. */
    private static final Pattern LOOKS =
            Pattern.compile(
                    "\\s*(ls|cat|head|tail|pwd|echo|wc|grep|rg|find|stat|file|which|date|whoami|id|env|"
                            + "git\\s+(status|log|diff|show|branch|rev-parse|blame))(\\s+[^;&|><`$]*)?",
                    Pattern.DOTALL);

    private static final Pattern PARTS = Pattern.compile("&&|\\|\\||[;|\\n]");
    private static final Pattern WORDS = Pattern.compile("[\\s'\"=]+");
    private static final Pattern FIND_ACTS =
            Pattern.compile("-(exec|execdir|delete|ok|fprint\\w*)\\b");

    /** Files that open doors when they change. */
    private static final Pattern KEYS =
            Pattern.compile(
                    "(^|/)(\\.ssh/|\\.env(\\.|$)|\\.git/hooks/|\\.git/config$|\\.claude/|\\.npmrc$|\\.netrc$|id_[a-z0-9]+$|authorized_keys$)"
                            + "|^/etc/|\\.pem$|\\.key$");

    private static List<Pattern> patterns(String... texts) {
        return List.of(texts).stream()
                .map(text -> Pattern.compile(text, Pattern.CASE_INSENSITIVE | Pattern.DOTALL))
                .toList();
    }

    /**
     * @param command the command line of a shell, or empty
     * @param file the file that is touched, or empty
     */
    static Risk of(String tool, String command, String file) {
        var name = tool.toLowerCase(Locale.ROOT);
        if (SHELLS.contains(name)) {
            return ofCommand(command);
        }
        if (KEYS.matcher(file).find()) {
            return HIGH;
        }
        if (READERS.contains(name)) {
            return LOW;
        }
        return WRITERS.contains(name) || !name.startsWith("mcp__") ? MEDIUM : HIGH;
    }

    private static Risk ofCommand(String command) {
        if (CRITICAL_COMMANDS.stream().anyMatch(pattern -> pattern.matcher(command).find())) {
            return CRITICAL;
        }
        for (var part : PARTS.splitAsStream(command).toList()) {
            if (!LOOKS.matcher(part).matches() || FIND_ACTS.matcher(part).find()) {
                return HIGH;
            }
        }
        return WORDS.splitAsStream(command).anyMatch(word -> KEYS.matcher(word).find())
                ? HIGH
                : LOW;
    }

    String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
