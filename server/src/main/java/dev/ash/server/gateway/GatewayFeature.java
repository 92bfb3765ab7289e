package dev.ash.server.gateway;

import dev.ash.sandbox.ConfinedCommands;
import dev.ash.server.approval.ApprovalAnswers;
import dev.ash.server.device.CursorStore;
import dev.ash.server.device.DeviceCursors;
import dev.ash.server.device.Devices;
import dev.ash.server.device.NotificationStore;
import dev.ash.server.event.EventLog;
import dev.ash.server.hooks.Hooks;
import dev.ash.server.http.Endpoint;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.project.Projects;
import dev.ash.server.repository.Repositories;
import dev.ash.server.repository.TerminalDirectories;
import dev.ash.server.session.SessionFeature;
import dev.ash.server.store.Storage;
import dev.ash.server.tls.Certificates;
import java.util.List;

/** Assembles the gateway from the other features of the server. */
public final class GatewayFeature implements AutoCloseable {
    private final DeviceCursors cursors;
    private final Gateway gateway;

    /** The features that the gateway uses. */
    public record Dependencies(
            Storage storage,
            EventLog log,
            Authenticator authenticator,
            Devices devices,
            SessionFeature sessions,
            SessionTitles titles,
            Hooks hooks,
            ApprovalAnswers answers,
            Projects projects,
            ConfinedCommands commands) {}

    public GatewayFeature(Dependencies dependencies, GatewayConfig config, String version) {
        var storage = dependencies.storage();
        this.cursors = new DeviceCursors(new CursorStore(storage.database()));
        var directories =
                new TerminalDirectories(
                        dependencies.hooks(),
                        dependencies.projects(),
                        dependencies.commands(),
                        dependencies.sessions().files(),
                        dependencies.sessions().turns()::exec);
        this.gateway =
                new Gateway(
                        config,
                        new Gateway.Dependencies(
                                dependencies.authenticator(),
                                dependencies.devices(),
                                cursors,
                                new NotificationStore(storage.database(), storage.clock()),
                                dependencies.sessions().service(),
                                dependencies.titles(),
                                dependencies.hooks(),
                                dependencies.log(),
                                dependencies.answers(),
                                new Repositories(directories, directories),
                                version,
                                storage.clock()));
    }

    public Gateway gateway() {
        return gateway;
    }

    /** Starts to listen for devices, and for hooks at {@code hookEndpoint}. */
    public void start(Certificates certificates, Endpoint hookEndpoint) {
        gateway.start(certificates, List.of(hookEndpoint));
    }

    @Override
    public void close() {
        gateway.close();
        cursors.close();
    }
}
