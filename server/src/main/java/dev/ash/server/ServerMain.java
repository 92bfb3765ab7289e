package dev.ash.server;

import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.AskerKind;
import dev.ash.server.credential.CredentialRoutes;
import dev.ash.server.gateway.GatewayFeature;
import dev.ash.server.health.HealthFeature;
import dev.ash.server.hooks.HookFeature;
import dev.ash.server.pair.PairFeature;
import dev.ash.server.pair.PeerEndpoints;
import dev.ash.server.pair.WaitingRuns;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.session.egress.ModelCredentialResolver;
import dev.ash.server.store.Housekeeping;
import dev.ash.server.tenant.ApiKeyRoutes;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/** Assembles the standalone server. Each object depends only on those declared above it. */
public final class ServerMain {
    public static void main(String[] args) {
        CarrierThreads.configure();
        ServerLog.configure();
        Preload.start();
        ServerProcess.run(stop -> run(ServerConfig.from(System.getenv()), stop));
    }

    private static void run(ServerConfig config, CountDownLatch stop) throws IOException {
        var version = Version.current();
        try (var open = new OpenResources()) {
            var base = ServerBase.open(config, open);
            var storage = base.storage();
            var log = base.log();
            var sandboxes = base.sandboxes();
            var approvals = new Approvals(storage, log, config.sessions().approvalTtl());
            var peers = new PeerEndpoints();
            var sessions =
                    open.add(
                            new SessionFeature(
                                    new SessionFeature.Dependencies(
                                            storage,
                                            log,
                                            approvals,
                                            base.agents().agents(),
                                            sandboxes.engines(),
                                            sandboxes.runners(),
                                            sandboxes.proxies(),
                                            new ModelCredentialResolver(
                                                    config.environment(), base.credentials()),
                                            base.projects(),
                                            base.quotas(),
                                            peers::of),
                                    config.sessionFeature()));
            var hooks =
                    new HookFeature(
                            storage,
                            log,
                            approvals,
                            config.hooks().times(),
                            config.hooks().token());
            var waitingRuns = new WaitingRuns();
            var askers = Map.of(AskerKind.HOOKS, hooks.hooks(), AskerKind.PAIR, waitingRuns);
            var answers = open.add(new ApprovalAnswers(approvals, sessions.live(), askers));
            var pairs =
                    open.add(
                            new PairFeature(
                                    new PairFeature.Dependencies(
                                            storage,
                                            approvals,
                                            answers,
                                            waitingRuns,
                                            sessions.service(),
                                            sessions.files(),
                                            base.projects(),
                                            sandboxes.commands(),
                                            peers),
                                    config.runFolders(),
                                    config.rest().tls().scheme()));
            var gateway =
                    open.add(
                            new GatewayFeature(
                                    new GatewayFeature.Dependencies(
                                            storage,
                                            log,
                                            base.authenticator(),
                                            base.devices(),
                                            sessions,
                                            pairs.titles()::of,
                                            hooks.hooks(),
                                            answers,
                                            base.projects(),
                                            sandboxes.commands()),
                                    config.gateway(),
                                    version));
            var health =
                    new HealthFeature(
                            storage, log, sessions, gateway.gateway()::health, sandboxes.counts());
            var tasks = Stream.of(sessions.tasks(), hooks.tasks(), log.tasks(), base.tasks());
            var housekeeping = open.add(new Housekeeping(tasks.flatMap(List::stream).toList()));

            sessions.recover();
            hooks.recover();
            base.agents().recover();
            var endpoints =
                    Stream.of(
                            base.agents().endpoints(sessions.sessions()::endSessionsOf),
                            sessions.endpoints(
                                    version, config.sessions().timings(), housekeeping::wake),
                            answers.endpoints(),
                            new CredentialRoutes(base.credentials()).endpoints(),
                            new ApiKeyRoutes(base.keys()).endpoints(),
                            hooks.endpoints(),
                            base.secrets().endpoints(hooks.token()),
                            pairs.endpoints(),
                            gateway.gateway().endpoints(GatewayAddress.in(config)),
                            health.endpoints(version));
            new RestListener(config.rest(), base)
                    .serve(
                            endpoints.flatMap(List::stream).toList(),
                            gateway.gateway().sockets(),
                            () -> {
                                sessions.start();
                                base.start();
                                answers.start();
                                pairs.start();
                                housekeeping.start();
                                gateway.start(base.certificates(), hooks.eventEndpoint());
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
