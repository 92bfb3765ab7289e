package dev.ash.cli.session;

import dev.ash.cli.agent.Deployment;
import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.SessionIds;
import dev.ash.cli.command.StandardInput;
import dev.ash.cli.server.NeededServer;
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

@Command(
        name = "chat",
        description = "Talk to an agent: one prompt, or line by line when none is given.",
        footer = {
            "Starts the server if none runs, and deploys AGENT first if it is a folder.",
            "Without a prompt, what a pipe brings on standard input is the prompt.",
            "A session opened for one prompt is ended afterwards, others are kept.",
            "In a conversation Ctrl-C breaks off the turn and Ctrl-D leaves.",
            "With --mode ask, the agent's questions are answered here or with `ash approvals`."
        })
final class ChatCommand extends AshCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "AGENT [PROMPT]",
            hideParamSyntax = true,
            description = "An agent's name or folder (none with -s), and what to say.")
    List<String> words = new ArrayList<>();

    @Option(
            names = {"-s", "--session"},
            paramLabel = "SESSION",
            description = "Go on with this session.")
    @Nullable String sessionId;

    @Option(names = "--end", description = "End the session afterwards in any case.")
    boolean end;

    @Option(names = "--keep", description = "Keep the session in any case.")
    boolean keep;

    @Option(names = "--model", paramLabel = "MODEL", description = "The model of a new session.")
    @Nullable String model;

    @Option(names = "--engine", paramLabel = "ENGINE", description = "claude, demo or auto.")
    @Nullable String engine;

    @Mixin PermissionModeOption permissions = new PermissionModeOption();

    @Mixin ReachOptions reach = new ReachOptions();

    @Mixin PartialOption partial = new PartialOption();

    ChatCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        if (end && keep) {
            throw new Failure(ExitCode.USAGE, "--end and --keep exclude each other.");
        }
        if (sessionId == null && words.isEmpty()) {
            throw new Failure(
                    ExitCode.USAGE, "Which agent? Give its name or its folder, or -s SESSION.");
        }
        if (sessionId != null && (reach.credential() != null || reach.network() != null)) {
            throw new Failure(
                    ExitCode.USAGE,
                    "--allow and --credential are for new sessions, and -s names an existing one. Start a new session without -s.");
        }
        var prompt = prompt();
        var client = NeededServer.reach(host, connection(), this::note);
        var session =
                sessionId == null
                        ? open(client)
                        : reopen(client, SessionIds.resolve(client, sessionId));
        var isOneShot = prompt != null;
        try {
            return prompt == null
                    ? converse(client, session)
                    : new Turn(host, client, session.id(), json)
                            .run(SessionApi.SendMessage.text(prompt, partial.isPartial()))
                            .exitCode();
        } finally {
            leave(client, session.id(), end || (isOneShot && sessionId == null && !keep));
        }
    }

    private int converse(AshClient client, Session session) {
        var conversation = new Conversation(host, client, session.id(), partial.isPartial());
        if (sessionId != null) {
            conversation.joinOpenTurn();
        }
        return conversation.run();
    }

    /** Null where a person is to be asked. */
    private @Nullable String prompt() {
        var said = sessionId == null ? words.subList(1, words.size()) : words;
        if (!said.isEmpty()) {
            var prompt = String.join(" ", said);
            return prompt.equals("-") ? StandardInput.read(host) : prompt;
        }
        if (host.terminals().in() && !json) {
            return null;
        }
        return StandardInput.read(host);
    }

    private Session open(AshClient client) {
        var agent = words.getFirst();
        if (isFolder(agent)) {
            var deployed = Deployment.of(host, agent, "", Map.of()).send(client);
            note(Deployment.describe(deployed));
            agent = deployed.name();
        }
        var request =
                SessionApi.CreateSession.builder(agent)
                        .engine(engine)
                        .model(model)
                        .permissionMode(permissions.mode())
                        .credentialId(reach.credential())
                        .network(reach.network())
                        .build();
        return NewSession.create(client, request);
    }

    private boolean isFolder(String agent) {
        return agent.contains("/")
                || agent.startsWith(".")
                || Files.isRegularFile(host.resolve(agent).resolve("CLAUDE.md"));
    }

    private Session reopen(AshClient client, String id) {
        var session = client.sessions().get(id);
        boolean sleeps =
                session.status().equals(SessionStatus.PAUSED.wire())
                        || session.status().equals(SessionStatus.STOPPED.wire())
                        || session.status().equals(SessionStatus.ERROR.wire());
        if (!sleeps) {
            return session;
        }
        note("The session was %s; resuming it.".formatted(session.status()));
        return client.sessions().resume(id);
    }

    private void leave(AshClient client, String id, boolean ending) {
        if (!ending) {
            note("To go on: ash chat -s " + id);
            return;
        }
        try {
            client.sessions().end(id);
        } catch (AshException e) {
            note("ash: the session %s could not be ended: %s".formatted(id, e.message()));
        }
    }
}
