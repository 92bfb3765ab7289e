package dev.ash.server;

import dev.ash.pair.run.RunDirectories;
import dev.ash.server.gateway.GatewayConfig;
import dev.ash.server.project.Roots;
import dev.ash.server.quota.Quotas;
import dev.ash.server.secret.SecretFeature;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.session.lifecycle.Prewarming;
import dev.ash.server.store.Storage;
import dev.ash.server.tls.Certificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * All settings of a server, grouped by feature; docs/configuration.md describes each of them.
 *
 * @param projectRoots directories below which projects may be; empty if not set
 * @param agentRoots directories of this host below which agents may be deployed from
 */
record ServerConfig(
        Path dataDir,
        RestSettings rest,
        GatewayConfig gateway,
        EngineSettings engines,
        SandboxSettings sandboxes,
        SessionSettings sessions,
        HookSettings hooks,
        Optional<Roots> projectRoots,
        Roots agentRoots,
        Quotas quotas,
        Map<String, String> environment) {

    static ServerConfig from(Map<String, String> environment) {
        var dataDir = DataDir.choose(environment);
        var settings = Settings.of(environment, dataDir);
        UnsupportedSettings.reject(settings, environment);
        settings.number("ASH_HEAP_MB", 512, 128, 1024 * 1024); // applied by `ash start`
        return new ServerConfig(
                dataDir,
                RestSettings.read(settings),
                GatewaySettings.read(settings),
                EngineSettings.read(settings),
                SandboxSettings.read(settings),
                SessionSettings.read(settings),
                HookSettings.read(settings),
                settings.text(Roots.PROJECTS).map(text -> Roots.parse(Roots.PROJECTS, text)),
                Roots.parse(Roots.AGENTS, settings.text(Roots.AGENTS).orElse("")),
                Quotas.read(settings::text, settings::positive),
                environment);
    }

    Certificates certificates(Storage storage) {
        return new Certificates(
                dataDir,
                SecretFeature.certificatePasswords(storage.sealer()),
                rest.tls().files(),
                gateway.files(),
                Duration.ofMinutes(1));
    }

    Prewarming prewarming(LocalSandboxes local) {
        return new Prewarming(
                local.runners(), local.engines(), sandboxes.isolation(), sandboxes.prewarmCount());
    }

    SessionFeature.Settings sessionFeature() {
        return new SessionFeature.Settings(
                engines.start(),
                sandboxes.isolation(),
                sessions.strictModelRequests(),
                sessions.idleTimeout(),
                quotas.retention());
    }

    RunDirectories runFolders() {
        var home = environment.getOrDefault("HOME", System.getProperty("user.home"));
        return RunDirectories.of(environment, Path.of(home));
    }
}
