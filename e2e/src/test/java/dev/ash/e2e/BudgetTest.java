package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.model.MeteredModelApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests budgets with real processes: random disconnects, chunked uploads, parallel calls, both
 * providers, and a killed server. {@code -Dash.money.process.schedules} sets the number of
 * schedules, and {@code -Dash.money.seed} repeats a run.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class BudgetTest {
    private static final int SESSIONS = 4;

    private final long seed = Long.getLong("ash.money.seed", System.nanoTime());
    private final int schedules = Integer.getInteger("ash.money.process.schedules", 200);

    @Test
    void exceedsBudgetByAtMostOneCallAndRecordsAllCosts() throws Exception {
        var directory = TestDirectory.create();
        try (var model = MeteredModelApi.start();
                var server = AshServer.start(environment(model, directory), directory)) {
            server.deploy("spender");
            var sessions = new ArrayList<BudgetCalls>();
            for (int i = 0; i < SESSIONS; i++) {
                sessions.add(new BudgetCalls(server, model, new Random(seed + i), i == 0));
            }

            ConcurrentTasks.runAll(
                    SESSIONS,
                    number -> {
                        for (int i = number; i < schedules; i += SESSIONS) {
                            sessions.get(number)
                                    .schedule("schedule %d of seed %d".formatted(i, seed));
                        }
                        return true;
                    });
        }
    }

    @Test
    void chargesEstimateOfCallsInFlightWhenServerIsKilled() throws Exception {
        var directory = TestDirectory.create();
        var server = new AshServer[1];
        try (var model = MeteredModelApi.start()) {
            server[0] = AshServer.start(environment(model, directory), directory);
            try {
                server[0].deploy("spender");
                var calls = new BudgetCalls(server[0], model, new Random(seed), false);

                calls.crash(
                        () -> {
                            server[0].kill();
                            server[0] = server[0].startAgain();
                            return server[0];
                        });

                assertThat(server[0].output()).contains("in flight when the server terminated");
            } finally {
                server[0].close();
            }
        }
    }

    /** Codex runs no turn here, so any program can stand in for it. */
    private static Map<String, String> environment(MeteredModelApi model, TestDirectory directory)
            throws IOException {
        var codex = directory.write("bin", Map.of("codex", "#!/bin/sh\nexec sleep 1000\n"));
        Path program = codex.resolve("codex");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Map.of(
                "ANTHROPIC_BASE_URL",
                model.url(),
                "OPENAI_BASE_URL",
                model.url() + "/v1",
                "OPENAI_API_KEY",
                "sk-of-nobody",
                "CODEX_EXECUTABLE",
                program.toString());
    }
}
