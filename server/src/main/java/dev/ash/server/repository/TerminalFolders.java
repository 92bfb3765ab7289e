package dev.ash.server.repository;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.Limits;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sandbox.ConfinedCommand;
import dev.ash.sandbox.ConfinedCommands;
import dev.ash.sandbox.launch.Mount;
import dev.ash.server.hooks.HookSession;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.project.GitUser;
import dev.ash.server.project.Project;
import dev.ash.server.project.Projects;
import dev.ash.server.session.file.SessionFiles;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Provides the files and commands of all sessions: for a session of Ash as before, for a terminal
 * session those of its directory on the host, if sessions may work there.
 */
public final class TerminalFolders implements SessionFiles, Shell {
    /** Hooks of the repository do not run; what else it makes git run, runs as confined as git. */
    private static final Map<String, String> ENVIRONMENT =
            Map.of(
                    "HOME", "/tmp",
                    "GIT_CONFIG_COUNT", "2",
                    "GIT_CONFIG_KEY_0", "core.hooksPath",
                    "GIT_CONFIG_VALUE_0", "/dev/null",
                    "GIT_CONFIG_KEY_1", "safe.directory",
                    "GIT_CONFIG_VALUE_1", "*");

    private final Hooks hooks;
    private final Projects projects;
    private final ConfinedCommands commands;
    private final SessionFiles files;
    private final Shell shell;

    /** {@code files} and {@code shell} are those of sessions of Ash. */
    public TerminalFolders(
            Hooks hooks,
            Projects projects,
            ConfinedCommands commands,
            SessionFiles files,
            Shell shell) {
        this.hooks = hooks;
        this.projects = projects;
        this.commands = commands;
        this.files = files;
        this.shell = shell;
    }

    @Override
    public Path workingDirectory(TenantId tenant, SessionId id) {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent()
                ? folder(terminal.get()).path()
                : files.workingDirectory(tenant, id);
    }

    @Override
    public Optional<GitUser> gitUser(TenantId tenant, SessionId id) {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent()
                ? projects.gitUser(folder(terminal.get()))
                : files.gitUser(tenant, id);
    }

    @Override
    public <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent()
                ? SessionFiles.inProject(folder(terminal.get()), work)
                : files.use(tenant, id, work);
    }

    @Override
    public ExecResult run(TenantId tenant, SessionId id, SessionApi.Exec exec) {
        var terminal = hooks.find(tenant, id);
        if (terminal.isEmpty()) {
            return shell.run(tenant, id, exec);
        }
        var folder = folder(terminal.get());
        var time =
                Optional.ofNullable(exec.timeout())
                        .map(Duration::ofMillis)
                        .orElse(Limits.EXEC_TIMEOUT);
        try {
            var path = folder.path().toString();
            var result =
                    commands.run(
                            ConfinedCommand.in(
                                            Mount.writable(folder.path(), path),
                                            folder.owner(),
                                            exec.command(),
                                            ENVIRONMENT,
                                            time)
                                    .requiring(path, folder.key()));
            return new ExecResult("", result.exitCode(), result.stdout(), result.stderr());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }

    private Project folder(HookSession session) {
        if (session.directory().isEmpty()) {
            throw new ApiException(
                    ErrorCode.FILE_NOT_FOUND,
                    "No hook has told in which folder this session works");
        }
        return projects.admit(session.tenant(), session.directory());
    }
}
