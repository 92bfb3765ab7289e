package dev.ash.e2e.gateway;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.ClaudeServer;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.TestFolder;
import dev.ash.e2e.model.ScriptedModelApi;
import java.net.URI;
import java.util.Map;

/**
 * A server that devices connect to, with the real CLI behind it, a project to work on and a model
 * that does what its prompt says.
 */
record TestGateway(AshServer server, ScriptedModelApi model, SampleRepository project)
        implements AutoCloseable {

    static final String AGENT = "gardener";

    static TestGateway start(Map<String, String> more) {
        var folder = TestFolder.create();
        var project = SampleRepository.make(folder.path().resolve("projects/app"));
        var model = ScriptedModelApi.start();
        var environment = ClaudeServer.environment(NeedsClaude.Condition.program(), model);
        environment.put("ASH_GATEWAY", "1");
        environment.put("ASH_GATEWAY_PORT", "0");
        environment.put("ASH_PROJECT_ROOTS", folder.path().resolve("projects").toString());
        environment.putAll(more);
        var server = AshServer.start(environment, folder);
        server.deploy(AGENT);
        return new TestGateway(server, model, project);
    }

    static TestGateway start() {
        return start(Map.of());
    }

    String directory() {
        return project.path().toString();
    }

    /** A device that was just paired and is in. */
    Phone phone(String... capabilities) {
        return Phone.enter(DeviceClient.pair(server), capabilities);
    }

    /** The listener of the REST API, which takes sockets too. */
    URI plain(String path) {
        return URI.create(server.api().base().replaceFirst("http", "ws") + path);
    }

    @Override
    public void close() {
        server.close();
        model.close();
    }
}
