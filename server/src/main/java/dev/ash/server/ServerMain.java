package dev.ash.server;

import dev.ash.server.agent.AgentFeature;
import dev.ash.server.agent.AgentFolders;
import dev.ash.server.agent.AgentRoots;
import dev.ash.server.approval.ApprovalFeature;
import dev.ash.server.credential.CredentialRoutes;
import dev.ash.server.credential.Credentials;
import dev.ash.server.device.Devices;
import dev.ash.server.event.EventLog;
import dev.ash.server.gateway.GatewayFeature;
import dev.ash.server.health.HealthFeature;
import dev.ash.server.hooks.HookFeature;
import dev.ash.server.http.Spool;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.pair.PairFeature;
import dev.ash.server.pair.PeerEndpoints;
import dev.ash.server.project.HostFolders;
import dev.ash.server.project.Projects;
import dev.ash.server.quota.QuotaStore;
import dev.ash.server.secret.SecretFeature;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.session.egress.ModelAccounts;
import dev.ash.server.store.FreePages;
import dev.ash.server.store.Housekeeping;
import dev.ash.server.store.Storage;
import dev.ash.server.tenant.ApiKeyRoutes;
import dev.ash.server.tenant.ApiKeys;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** Assembles the standalone server from its features. Each one uses only those above it. */
public final class ServerMain {
    public static void main(String[] args) {
        CarrierThreads.configure();
        ServerLog.configure();
        ServerProcess.run(stop -> run(ServerConfig.from(System.getenv()), stop));
    }

    private static void run(ServerConfig config, CountDownLatch stop) throws IOException {
        var environment = config.environment();
        var version = Version.current();
        try (var open = new OpenResources()) {
            // The data directory, and who may use the server.
            var data = open.add(DataDir.open(config.dataDir())).path();
            var storage = open.add(Storage.open(data, Clock.systemUTC(), new SecureRandom()));
            Spool.useFolder(storage.resolve("uploads"));
            var keys = open.add(ApiKeys.open(storage, config.apiKey()));
            var devices = new Devices(storage);
            var authenticator = open.add(new Authenticator(keys, devices));
            var certificates = open.add(config.certificates(storage));
            var quotas = new QuotaStore(storage.database(), config.quotas());
            var credentials = new Credentials(storage);
            var log = new EventLog(storage, config.quotas().log());

            // Sandboxes, and what is placed in them.
            var hostFolders = HostFolders.of(environment, data);
            var projects = Projects.of(config.projectRoots(), environment, hostFolders);
            var agentFolders = new AgentFolders(storage.resolve("agents"));
            var sandboxes = open.add(LocalSandboxes.open(config, storage, agentFolders, projects));
            var secrets = open.add(new SecretFeature(storage, certificates, sandboxes::isRunning));
            var prewarming = config.prewarming(sandboxes);
            var agentRoots = new AgentRoots(config.agentRoots(), hostFolders);
            var agents = new AgentFeature(storage, quotas, agentFolders, agentRoots, prewarming);

            // Sessions, and what people and programs do with them.
            var approval = open.add(new ApprovalFeature(storage, log, config.approvalTtl()));
            var approvals = approval.approvals();
            var commands = sandboxes.commands();
            var peers = new PeerEndpoints();
            var sessions =
                    open.add(
                            new SessionFeature(
                                    new SessionFeature.Dependencies(
                                            storage,
                                            log,
                                            approvals,
                                            agents.agents(),
                                            sandboxes.engines(),
                                            sandboxes.runners(),
                                            sandboxes.proxies(),
                                            new ModelAccounts(environment, credentials),
                                            projects,
                                            quotas,
                                            peers::of),
                                    config.sessions()));
            var hooks =
                    new HookFeature(
                            storage, log, approvals, config.hookTimes(), config.hookToken());
            var pairs =
                    open.add(
                            new PairFeature(
                                    new PairFeature.Dependencies(
                                            storage,
                                            approvals,
                                            sessions.door(),
                                            sessions.files(),
                                            projects,
                                            commands,
                                            peers),
                                    config.runFolders(),
                                    config.tls().scheme()));
            var gateway =
                    open.add(
                            new GatewayFeature(
                                    new GatewayFeature.Dependencies(
                                            storage,
                                            log,
                                            authenticator,
                                            devices,
                                            sessions,
                                            pairs.titles()::of,
                                            hooks.hooks(),
                                            approvals,
                                            projects,
                                            commands),
                                    config.gateway(),
                                    version));
            var tasks =
                    Stream.of(
                            sessions.tasks(),
                            hooks.tasks(),
                            log.tasks(),
                            keys.tasks(),
                            FreePages.tasks(storage));
            var housekeeping =
                    open.add(
                            new Housekeeping(
                                    Housekeeping.INTERVAL, tasks.flatMap(List::stream).toList()));
            var health =
                    new HealthFeature(
                            new HealthFeature.Dependencies(
                                    storage,
                                    log,
                                    sandboxes.engines(),
                                    sandboxes.runners(),
                                    sessions,
                                    sandboxes.proxies().requestCounts(),
                                    gateway.gateway()::health),
                            version);

            sessions.recover();
            hooks.recover();
            agents.recover();
            var endpoints =
                    Stream.of(
                            agents.endpoints(sessions.sessions()::endAllOf),
                            sessions.endpoints(version, config.timings(), housekeeping::wake),
                            approval.endpoints(),
                            new CredentialRoutes(credentials).endpoints(),
                            new ApiKeyRoutes(keys).endpoints(),
                            hooks.endpoints(),
                            secrets.endpoints(hooks.token()),
                            pairs.endpoints(),
                            gateway.gateway().endpoints(GatewayAddress.in(config)),
                            health.endpoints());
            new RestListener(config, storage, authenticator, certificates)
                    .serve(
                            endpoints.flatMap(List::stream).toList(),
                            gateway.gateway().sockets(),
                            () -> {
                                sessions.start();
                                secrets.start();
                                approval.start();
                                pairs.start();
                                prewarming.start(agents.agents().all());
                                housekeeping.start();
                                gateway.start(certificates, hooks.eventEndpoint());
                            },
                            () -> {
                                hooks.close();
                                pairs.shutDown();
                                sessions.shutDown();
                            },
                            stop);
        }
    }

    private ServerMain() {}
}
