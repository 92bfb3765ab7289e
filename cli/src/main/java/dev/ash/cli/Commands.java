package dev.ash.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The tree of subcommands. Only those on the way to the chosen one are built: to build all takes
 * longer than most commands run.
 */
final class Commands {
    private static final Map<String, Function<Host, AshCommand>> TOP = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> AGENT = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> SESSION = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> APPROVALS = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> CREDENTIALS =
            new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> DEVICES = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> HOOKS = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> PAIR = new LinkedHashMap<>();
    private static final Map<String, Function<Host, AshCommand>> MCP = new LinkedHashMap<>();
    private static final Map<String, Map<String, Function<Host, AshCommand>>> GROUPS =
            new LinkedHashMap<>();

    static {
        TOP.put("chat", ChatCommand::new);
        TOP.put("pair", PairStartCommand::new);
        TOP.put("deploy", DeployCommand::new);
        GROUPS.put("agent", AGENT);
        GROUPS.put("session", SESSION);
        GROUPS.put("approvals", APPROVALS);
        GROUPS.put("credentials", CREDENTIALS);
        GROUPS.put("devices", DEVICES);
        GROUPS.put("hooks", HOOKS);
        GROUPS.put("mcp", MCP);
        GROUPS.put("pair", PAIR); // beside the command of that name, which takes a task
        TOP.put("start", StartCommand::new);
        TOP.put("stop", StopCommand::new);
        TOP.put("status", StatusCommand::new);
        TOP.put("logs", LogsCommand::new);
        TOP.put("health", HealthCommand::new);
        TOP.put("doctor", DoctorCommand::new);
        TOP.put("version", VersionCommand::new);

        AGENT.put("list", AgentListCommand::new);
        AGENT.put("info", AgentInfoCommand::new);
        AGENT.put("delete", AgentDeleteCommand::new);

        SESSION.put("create", SessionCreateCommand::new);
        SESSION.put("send", SessionSendCommand::new);
        SESSION.put("list", SessionListCommand::new);
        SESSION.put("show", SessionShowCommand::new);
        SESSION.put("pause", SessionStateCommand.Pause::new);
        SESSION.put("stop", SessionStateCommand.Stop::new);
        SESSION.put("resume", SessionStateCommand.Resume::new);
        SESSION.put("end", SessionStateCommand.End::new);
        SESSION.put("interrupt", SessionInterruptCommand::new);
        SESSION.put("exec", SessionExecCommand::new);
        SESSION.put("files", SessionFilesCommand::new);
        SESSION.put("workspace", SessionWorkspaceCommand::new);
        SESSION.put("messages", SessionMessagesCommand::new);
        SESSION.put("events", SessionEventsCommand::new);
        SESSION.put("logs", SessionLogsCommand::new);
        SESSION.put("watch", SessionWatchCommand::new);
        SESSION.put("fork", SessionForkCommand::new);

        APPROVALS.put("list", ApprovalListCommand::new);
        APPROVALS.put("show", ApprovalShowCommand::new);
        APPROVALS.put("approve", ApprovalApproveCommand::new);
        APPROVALS.put("reject", ApprovalRejectCommand::new);

        CREDENTIALS.put("add", CredentialAddCommand::new);
        CREDENTIALS.put("list", CredentialListCommand::new);
        CREDENTIALS.put("delete", CredentialDeleteCommand::new);

        DEVICES.put("pair", DevicePairCommand::new);
        DEVICES.put("list", DeviceListCommand::new);
        DEVICES.put("revoke", DeviceRevokeCommand::new);

        HOOKS.put("install", HooksInstallCommand::new);
        HOOKS.put("uninstall", HooksUninstallCommand::new);
        HOOKS.put("status", HooksStatusCommand::new);

        MCP.put("pair", McpPairCommand::new);

        PAIR.put("list", PairListCommand::new);
        PAIR.put("show", PairShowCommand::new);
        PAIR.put("watch", PairWatchCommand::new);
        PAIR.put("say", PairSayCommand::new);
        PAIR.put("answer", PairAnswerCommand::new);
        PAIR.put("pause", PairStateCommand.Pause::new);
        PAIR.put("stop", PairStateCommand.Stop::new);
        PAIR.put("resume", PairResumeCommand::new);
        PAIR.put("log", PairLogCommand::new);
        PAIR.put("diff", PairDiffCommand::new);
        PAIR.put("report", PairReportCommand::new);
        PAIR.put("clean", PairCleanCommand::new);
    }

    private Commands() {}

    /** Whether {@code second} is a word of the command too, and not what it is given. */
    static boolean isTwoWords(String first, String second) {
        return TOP.containsKey(first)
                ? GROUPS.getOrDefault(first, Map.of()).containsKey(second)
                : GROUPS.containsKey(first);
    }

    /** The command line for these words; with all subcommands where the words name none. */
    static CommandLine of(Host host, String first, String second) {
        var root = new CommandLine(new RootCommand());
        var leaf = TOP.get(first);
        if (leaf != null && !isTwoWords(first, second)) {
            return add(root, first, leaf.apply(host));
        }
        var group = GROUPS.get(first);
        if (group != null) {
            return root.addSubcommand(first, group(host, first, second));
        }
        TOP.forEach((name, command) -> add(root, name, command.apply(host)));
        GROUPS.keySet().stream()
                .filter(name -> !TOP.containsKey(name))
                .forEach(name -> root.addSubcommand(name, group(host, name, "")));
        return root;
    }

    private static CommandLine group(Host host, String name, String chosen) {
        var group = new CommandLine(new GroupCommand());
        group.getCommandSpec().name(name).usageMessage().description(description(name));
        var commands = GROUPS.getOrDefault(name, Map.of());
        var leaf = commands.get(chosen);
        if (leaf != null) {
            return add(group, chosen, leaf.apply(host));
        }
        commands.forEach((word, command) -> add(group, word, command.apply(host)));
        return group;
    }

    private static CommandLine add(CommandLine parent, String name, AshCommand command) {
        var line = new CommandLine(CommandSpec.forAnnotatedObject(command));
        // What follows the session is the command to run, with its own options.
        line.setStopAtPositional(command instanceof SessionExecCommand);
        return parent.addSubcommand(name, line);
    }

    private static String description(String group) {
        return switch (group) {
            case "agent" -> "Look after deployed agents.";
            case "session" -> "Work with sessions.";
            case "credentials" -> "Store keys of model providers for sessions to use.";
            case "devices" -> "Let phones and browsers steer sessions, or not any more.";
            case "mcp" -> "Serve tools to engines, for them to start.";
            case "hooks" -> "Approve elsewhere what Claude Code asks in your own terminals.";
            default -> "Answer agents that ask before they go on.";
        };
    }
}
