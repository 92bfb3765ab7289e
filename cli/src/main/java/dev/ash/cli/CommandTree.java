package dev.ash.cli;

import dev.ash.cli.agent.AgentCommands;
import dev.ash.cli.approval.ApprovalCommands;
import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.Subcommands;
import dev.ash.cli.credential.CredentialCommands;
import dev.ash.cli.device.DeviceCommands;
import dev.ash.cli.doctor.DoctorCommand;
import dev.ash.cli.engine.EngineCommands;
import dev.ash.cli.gateway.GatewayCommands;
import dev.ash.cli.hooks.HookCommands;
import dev.ash.cli.key.KeyCommands;
import dev.ash.cli.mailbox.MailboxCommands;
import dev.ash.cli.mcp.McpCommands;
import dev.ash.cli.pair.PairCommands;
import dev.ash.cli.secret.SecretCommands;
import dev.ash.cli.server.ServerCommands;
import dev.ash.cli.session.SessionCommands;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Builds the tree of subcommands. Builds only the path to the requested command, because building
 * all takes longer than most commands run.
 */
final class CommandTree {
    private static final Map<String, Function<Host, AshCommand>> TOP = new LinkedHashMap<>();
    private static final Map<String, Supplier<Subcommands>> GROUPS = new LinkedHashMap<>();

    static {
        TOP.put("chat", SessionCommands::chat);
        TOP.put("pair", PairCommands::start);
        TOP.put("deploy", AgentCommands::deploy);
        TOP.put("start", ServerCommands::start);
        TOP.put("stop", ServerCommands::stop);
        TOP.put("status", ServerCommands::status);
        TOP.put("logs", ServerCommands::logs);
        TOP.put("health", ServerCommands::health);
        TOP.put("doctor", DoctorCommand::new);
        TOP.put("version", VersionCommand::new);

        GROUPS.put("agent", AgentCommands::group);
        GROUPS.put("session", SessionCommands::group);
        GROUPS.put("approvals", ApprovalCommands::group);
        GROUPS.put("credentials", CredentialCommands::group);
        GROUPS.put("engines", EngineCommands::group);
        GROUPS.put("devices", DeviceCommands::group);
        GROUPS.put("gateway", GatewayCommands::group);
        GROUPS.put("keys", KeyCommands::keys);
        GROUPS.put("tenants", KeyCommands::tenants);
        GROUPS.put("hooks", HookCommands::group);
        GROUPS.put("mailbox", MailboxCommands::group);
        GROUPS.put("mcp", McpCommands::group);
        GROUPS.put("secrets", SecretCommands::group);
        // In addition to the command of that name, which takes a task.
        GROUPS.put("pair", PairCommands::group);
    }

    private CommandTree() {}

    /** Returns whether {@code second} is part of the command name and not an argument. */
    static boolean isGroupCommand(String first, String second) {
        var group = GROUPS.get(first);
        return group != null && (!TOP.containsKey(first) || group.get().has(second));
    }

    /** Returns the command line for these words, with all subcommands if they name none. */
    static CommandLine of(Host host, String first, String second) {
        var root = new CommandLine(new RootCommand());
        var leaf = TOP.get(first);
        if (leaf != null && !isGroupCommand(first, second)) {
            return add(root, first, leaf.apply(host));
        }
        var group = GROUPS.get(first);
        if (group != null) {
            return root.addSubcommand(first, group(host, first, group.get(), second));
        }
        TOP.forEach((name, command) -> add(root, name, command.apply(host)));
        GROUPS.forEach(
                (name, commands) -> {
                    if (!TOP.containsKey(name)) {
                        root.addSubcommand(name, group(host, name, commands.get(), ""));
                    }
                });
        return root;
    }

    private static CommandLine group(
            Host host, String name, Subcommands subcommands, String chosen) {
        var group = new CommandLine(new GroupCommand());
        group.getCommandSpec().name(name).usageMessage().description(subcommands.description());
        var commands = subcommands.byName();
        var leaf = commands.get(chosen);
        if (leaf != null) {
            return add(group, chosen, leaf.apply(host));
        }
        commands.forEach((word, command) -> add(group, word, command.apply(host)));
        return group;
    }

    private static CommandLine add(CommandLine parent, String name, AshCommand command) {
        var line = new CommandLine(CommandSpec.forAnnotatedObject(command));
        line.setStopAtPositional(command.stopsAtPositional());
        return parent.addSubcommand(name, line);
    }
}
