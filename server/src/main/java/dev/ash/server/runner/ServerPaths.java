package dev.ash.server.runner;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.sandbox.AgentVersion;
import dev.ash.sandbox.HostPaths;
import dev.ash.sandbox.ProjectDirectory;
import dev.ash.sandbox.ProjectRef;
import dev.ash.server.agent.AgentDirectories;
import dev.ash.server.project.Projects;
import java.nio.file.Path;

/** Resolves agents and projects on the server's own machine. */
public final class ServerPaths implements HostPaths {
    private final AgentDirectories agents;
    private final Projects projects;

    public ServerPaths(AgentDirectories agents, Projects projects) {
        this.agents = agents;
        this.projects = projects;
    }

    @Override
    public Path agent(AgentVersion agent) {
        return agents.find(agent.agentId(), agent.version())
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.AGENT_UNUSABLE,
                                        "The files of agent \"%s\" are missing on the server; deploy it"
                                                        .formatted(agent.name())
                                                + " again and create a new session"));
    }

    /** Checks the directory again: it may have changed since the session was created. */
    @Override
    public ProjectDirectory project(ProjectRef project) {
        return projects.readmit(project.tenant(), Path.of(project.path())).directory();
    }
}
