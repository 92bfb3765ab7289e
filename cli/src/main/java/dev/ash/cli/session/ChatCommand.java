package dev.ash.cli.session;

import dev.ash.cli.agent.Deployment;
import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.SessionIds;
import dev.ash.cli.command.StandardInput;
import dev.ash.cli.server.ServerAutoStart;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.rest.Session;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.AshClient;
import dev.ash.sdk.AshException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Implements {@code ash chat}. */
@Command(
        name = "chat",
        description = "Send a prompt to an agent, or chat interactively if none is given.",
        footer = {
            "Starts the server if none is running; deploys AGENT first if it is a directory.",
            "Without a prompt, reads it from standard input if that is not a terminal.",
            "A session created for one prompt is ended afterwards; others are kept.",
            "In an interactive chat, Ctrl-C interrupts the turn and Ctrl-D exits.",
            "With --mode ask, answer the agent's questions here or with `ash approvals`."
        })
final class ChatCommand extends AshCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "AGENT [PROMPT]",
            hideParamSyntax = true,
            description = "Name or directory of an agent (omit with -s), and the prompt.")
    List<String> words = new ArrayList<>();

    @Option(
            names = {"-s", "--session"},
            paramLabel = "SESSION",
            description = "Session to continue.")
    @Nullable String sessionId;

    @Option(names = "--end", description = "End the session afterwards.")
    boolean end;

    @Option(names = "--keep", description = "Keep the session.")
    boolean keep;

    @Option(names = "--model", paramLabel = "MODEL", description = "Model of a new session.")
    @Nullable String model;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description = "Engine: a name from `ash engines list`, or auto.")
    @Nullable String engine;

    @Mixin PermissionModeOption permissions = new PermissionModeOption();

    @Mixin EgressOptions egress = new EgressOptions();

    @Mixin PartialOption partial = new PartialOption();

    ChatCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        if (end && keep) {
            throw new CommandException(ExitCode.USAGE, "--end and --keep are mutually exclusive.");
        }
        if (sessionId == null && words.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "AGENT is missing. Specify the name or directory of an agent, or -s SESSION.");
        }
        if (sessionId != null && (egress.credential() != null || egress.network() != null)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--allow and --credential require a new session, but -s specifies an existing one. Omit -s to create a session.");
        }
        var prompt = prompt();
        var client = ServerAutoStart.connect(host, connection(), this::note);
        var session =
                sessionId == null
                        ? open(client)
                        : reopen(client, SessionIds.resolve(client, sessionId));
        var isOneShot = prompt != null;
        try {
            return prompt == null
                    ? chat(client, session)
                    : new Turn(host, client, session.id(), json)
                            .run(SessionApi.SendMessage.text(prompt, partial.isPartial()))
                            .exitCode();
        } finally {
            finish(client, session.id(), end || (isOneShot && sessionId == null && !keep));
        }
    }

    private int chat(AshClient client, Session session) {
        var conversation = new Conversation(host, client, session.id(), partial.isPartial());
        if (sessionId != null) {
            conversation.joinOpenTurn();
        }
        return conversation.run();
    }

    /** Returns null for an interactive chat. */
    private @Nullable String prompt() {
        var promptWords = sessionId == null ? words.subList(1, words.size()) : words;
        if (!promptWords.isEmpty()) {
            var prompt = String.join(" ", promptWords);
            return prompt.equals("-") ? StandardInput.read(host) : prompt;
        }
        if (host.terminals().in() && !json) {
            return null;
        }
        return StandardInput.read(host);
    }

    private Session open(AshClient client) {
        var agent = words.getFirst();
        if (isDirectory(agent)) {
            var deployed = Deployment.of(host, agent, "", Map.of()).deploy(client);
            note(Deployment.describe(deployed));
            agent = deployed.name();
        }
        var request =
                SessionApi.CreateSession.builder(agent)
                        .engine(engine)
                        .model(model)
                        .permissionMode(permissions.mode())
                        .credentialId(egress.credential())
                        .network(egress.network())
                        .build();
        return NewSession.create(client, request);
    }

    private boolean isDirectory(String agent) {
        return agent.contains("/")
                || agent.startsWith(".")
                || Files.isRegularFile(host.resolve(agent).resolve("CLAUDE.md"));
    }

    private Session reopen(AshClient client, String id) {
        var session = client.sessions().get(id);
        boolean needsResume =
                session.status().equals(SessionStatus.PAUSED.wire())
                        || session.status().equals(SessionStatus.STOPPED.wire())
                        || session.status().equals(SessionStatus.ERROR.wire());
        if (!needsResume) {
            return session;
        }
        note("The session is %s; resuming it.".formatted(session.status()));
        return client.sessions().resume(id);
    }

    private void finish(AshClient client, String id, boolean endSession) {
        if (!endSession) {
            note("Continue with: ash chat -s " + id);
            return;
        }
        try {
            client.sessions().end(id);
        } catch (AshException e) {
            note("ash: cannot end session %s: %s".formatted(id, e.getMessage()));
        }
    }
}
