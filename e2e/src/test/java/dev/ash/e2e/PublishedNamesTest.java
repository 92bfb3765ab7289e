package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Checks that the table of docs/sdk.md maps every name of the published documents to an existing
 * class or method.
 */
class PublishedNamesTest {
    private static final List<String> NAMES =
            List.of(
                    "@ash-ai/shared",
                    "@ash-ai/runner",
                    "Agent",
                    "Session",
                    "AshStreamEvent",
                    "HealthResponse",
                    "encode",
                    "decode",
                    "BridgeCommand",
                    "BridgeEvent",
                    "QueryCommand",
                    "ResumeCommand",
                    "InterruptCommand",
                    "ShutdownCommand",
                    "ReadyEvent",
                    "MessageEvent",
                    "ErrorEvent",
                    "DoneEvent",
                    "SandboxManager",
                    "SandboxPool",
                    "BridgeClient",
                    "spawnWithLimits",
                    "persistSessionState",
                    "restoreSessionState",
                    "RunnerCoordinator",
                    "LocalRunnerBackend",
                    "AshClient",
                    "parseSSEStream");

    private static final Pattern CLASS = Pattern.compile("`(dev\\.ash\\.[A-Za-z.]+)`");
    private static final Pattern METHODS =
            Pattern.compile("`(dev\\.ash\\.[A-Za-z.]+)`: ((`[a-zA-Z]+`(, )?)+)");

    private static List<String> rows;

    @BeforeAll
    static void readTable() throws Exception {
        var page = Files.readString(Path.of("../docs/sdk.md"));
        rows =
                page.substring(page.indexOf("## Names in the published Ash documents"))
                        .lines()
                        .filter(line -> line.startsWith("| ") && !line.startsWith("| name there"))
                        .toList();
    }

    @Test
    void containsEveryName() {
        var left = String.join("\n", rows.stream().map(row -> row.split("\\|")[1]).toList());

        assertThat(NAMES).allSatisfy(name -> assertThat(left).contains("`" + name + "`"));
    }

    @Test
    void listsOnlyExistingClasses() throws Exception {
        int found = 0;
        for (var match : CLASS.matcher(String.join("\n", rows)).results().toList()) {
            Class.forName(match.group(1));
            found++;
        }
        assertThat(found).isGreaterThan(15);
    }

    @Test
    void listsOnlyExistingMethods() throws Exception {
        int found = 0;
        for (var match : METHODS.matcher(String.join("\n", rows)).results().toList()) {
            var type = Class.forName(match.group(1));
            var methods = Arrays.stream(type.getDeclaredMethods()).map(Method::getName).toList();
            for (var name : match.group(2).replace("`", "").split(", ")) {
                assertThat(methods).as(type.getName()).contains(name.strip());
                found++;
            }
        }
        assertThat(found).isEqualTo(5);
    }
}
