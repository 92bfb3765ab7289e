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
 * Provides the files and commands of all sessions. For a terminal session it uses the session's
 * directory on the host, if sessions may work there; for all others it delegates.
 */
public final class TerminalDirectories implements SessionFiles, Shell {
    /** Disables hooks of the repository; other programs that git runs are confined like git. */
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

    /** {@code files} and {@code shell} serve the sessions that are not terminal sessions. */
    public TerminalDirectories(
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
                ? project(terminal.get()).path()
                : files.workingDirectory(tenant, id);
    }

    @Override
    public Optional<GitUser> gitUser(TenantId tenant, SessionId id) {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent()
                ? projects.gitUser(project(terminal.get()))
                : files.gitUser(tenant, id);
    }

    @Override
    public <T> T use(TenantId tenant, SessionId id, Work<T> work) throws Exception {
        var terminal = hooks.find(tenant, id);
        return terminal.isPresent()
                ? SessionFiles.inProject(project(terminal.get()), work)
                : files.use(tenant, id, work);
    }

    @Override
    public ExecResult run(TenantId tenant, SessionId id, SessionApi.Exec exec) {
        var terminal = hooks.find(tenant, id);
        if (terminal.isEmpty()) {
            return shell.run(tenant, id, exec);
        }
        var project = project(terminal.get());
        var timeout =
                Optional.ofNullable(exec.timeout())
                        .map(Duration::ofMillis)
                        .orElse(Limits.EXEC_TIMEOUT);
        try {
            var path = project.path().toString();
            var result =
                    commands.run(
                            ConfinedCommand.in(
                                            Mount.writable(project.path(), path),
                                            project.owner(),
                                            exec.command(),
                                            ENVIRONMENT,
                                            timeout)
                                    .withIdentity(path, project.key()));
            return new ExecResult("", result.exitCode(), result.stdout(), result.stderr());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ApiException(ErrorCode.SHUTTING_DOWN, "The server is shutting down", e);
        }
    }

    private Project project(HookSession session) {
        if (session.directory().isEmpty()) {
            throw new ApiException(
                    ErrorCode.FILE_NOT_FOUND,
                    "Unknown working directory: no hook has reported it for this session");
        }
        return projects.admit(session.tenant(), session.directory());
    }
}
