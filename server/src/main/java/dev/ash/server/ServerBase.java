package dev.ash.server;

import dev.ash.server.agent.AgentDirectories;
import dev.ash.server.agent.AgentFeature;
import dev.ash.server.agent.AgentRoots;
import dev.ash.server.credential.Credentials;
import dev.ash.server.device.Devices;
import dev.ash.server.event.EventLog;
import dev.ash.server.http.Spool;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.project.HostDirectories;
import dev.ash.server.project.Projects;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.secret.SecretFeature;
import dev.ash.server.session.lifecycle.Prewarming;
import dev.ash.server.store.FreePages;
import dev.ash.server.store.Housekeeping.Task;
import dev.ash.server.store.SqliteLibrary;
import dev.ash.server.store.Storage;
import dev.ash.server.tenant.ApiKeys;
import dev.ash.server.tls.Certificates;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts of a server that its features share: storage, callers, the log, sandboxes and agents.
 */
record ServerBase(
        Storage storage,
        ApiKeys keys,
        Devices devices,
        Authenticator authenticator,
        SecretFeature secrets,
        Credentials credentials,
        QuotaStore quotas,
        EventLog log,
        Projects projects,
        LocalSandboxes sandboxes,
        Prewarming prewarming,
        AgentFeature agents) {

    /** Opens the parts and registers them with {@code open}, which closes them. */
    static ServerBase open(ServerConfig config, OpenResources open) throws IOException {
        var data = open.add(DataDir.open(config.dataDir())).path();
        SqliteLibrary.keepIn(data.resolve("native"));
        var storage = open.add(Storage.open(data, Clock.systemUTC(), new SecureRandom()));
        Spool.useDirectory(storage.resolve("uploads"));
        var keys = open.add(ApiKeys.open(storage, config.rest().apiKey()));
        var devices = new Devices(storage);
        var authenticator = open.add(new Authenticator(keys, devices));
        var quotas = new QuotaStore(storage.database(), config.quotas());
        var hostFolders = HostDirectories.of(config.environment(), data);
        var projects = Projects.of(config.projectRoots(), config.environment(), hostFolders);
        var agentFolders = new AgentDirectories(storage.resolve("agents"));
        var certificates = open.add(config.certificates(storage));
        if (config.gateway().enabled()) {
            Thread.ofVirtual().name("certificate").start(certificates::preload);
        }
        var sandboxes = open.add(LocalSandboxes.open(config, storage, agentFolders, projects));
        var secrets = open.add(new SecretFeature(storage, certificates, sandboxes::isRunning));
        var prewarming = config.prewarming(sandboxes);
        var agentRoots = new AgentRoots(config.agentRoots(), hostFolders);
        return new ServerBase(
                storage,
                keys,
                devices,
                authenticator,
                secrets,
                new Credentials(storage),
                quotas,
                new EventLog(storage, config.quotas().log()),
                projects,
                sandboxes,
                prewarming,
                new AgentFeature(storage, quotas, agentFolders, agentRoots, prewarming));
    }

    List<Task> tasks() {
        return Stream.of(keys.tasks(), FreePages.tasks(storage)).flatMap(List::stream).toList();
    }

    /** Starts background work; the server accepts requests already. */
    void start() {
        secrets.start();
        prewarming.start(agents.agents().all());
    }

    Certificates certificates() {
        return secrets.certificates();
    }
}
