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

/** Assembles the gateway of devices, with the repositories that they can look at. */
public final class GatewayFeature implements AutoCloseable {
    private final DeviceCursors cursors;
    private final Gateway gateway;

    /** What devices use. */
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

    public GatewayFeature(Dependencies with, GatewayConfig config, String version) {
        var storage = with.storage();
        this.cursors = new DeviceCursors(new CursorStore(storage.database()));
        var folders =
                new TerminalDirectories(
                        with.hooks(),
                        with.projects(),
                        with.commands(),
                        with.sessions().files(),
                        with.sessions().turns()::exec);
        this.gateway =
                new Gateway(
                        config,
                        new Gateway.Parts(
                                with.authenticator(),
                                with.devices(),
                                cursors,
                                new NotificationStore(storage.database(), storage.clock()),
                                with.sessions().service(),
                                with.titles(),
                                with.hooks(),
                                with.log(),
                                with.answers(),
                                new Repositories(folders, folders),
                                version,
                                storage.clock()));
    }

    public Gateway gateway() {
        return gateway;
    }

    /** Listens for devices, and for hooks at {@code hookEndpoint}. */
    public void start(Certificates certificates, Endpoint hookEndpoint) {
        gateway.start(certificates, List.of(hookEndpoint));
    }

    @Override
    public void close() {
        gateway.close();
        cursors.close();
    }
}
