package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the contract is complete, and that {@code docs/engines.md} matches it. */
class ContractTableTest {
    private static final Path PAGE = Path.of("../docs/engines.md");

    @Test
    void hasOneTestForEachProperty() {
        var proven =
                Stream.of(EngineContract.class.getInterfaces())
                        .flatMap(part -> Arrays.stream(part.getDeclaredMethods()))
                        .filter(method -> method.isAnnotationPresent(Test.class))
                        .flatMap(method -> Stream.of(method.getAnnotation(Proves.class).value()))
                        .toList();

        assertThat(proven).containsExactlyInAnyOrder(Property.values());
    }

    @Test
    void runsOnAllEnginesThatTheBuildInstalls() throws IOException {
        assertThat(TestedEngines.ALL)
                .extracting(TestedEngine::name)
                .containsExactlyElementsOf(versions().keySet());
        for (var engine : TestedEngines.ALL) {
            var name = engine.name();
            var type =
                    name.substring(0, 1).toUpperCase(Locale.ROOT)
                            + name.substring(1)
                            + "ContractTest";
            assertThat(Path.of("target/test-classes/dev/ash/e2e/engine", type + ".class")).exists();
        }
    }

    @Test
    void quotesAnAnswerForEachMissingProperty() {
        for (var engine : TestedEngines.ALL) {
            assertThat(engine.cannot().values())
                    .as(engine.name())
                    .allSatisfy(quote -> assertThat(quote).isNotBlank().doesNotContain("`", "\n"));
        }
    }

    @Test
    void matchesThePage() throws IOException {
        var page = Files.readString(PAGE);
        var table = new ContractTable(versions()).markdown();
        int begin = page.indexOf(ContractTable.BEGIN);
        int end = page.indexOf(ContractTable.END);
        assertThat(begin).as("begin of the table in " + PAGE).isNotNegative();
        assertThat(end).as("end of the table in " + PAGE).isGreaterThan(begin);
        end += ContractTable.END.length();
        if (Boolean.getBoolean("ash.contract.write")) {
            page = page.substring(0, begin) + table + page.substring(end);
            Files.writeString(PAGE, page);
            return;
        }

        assertThat(page.substring(begin, end))
                .as("run this test with -Dash.contract.write=true to update " + PAGE)
                .isEqualTo(table);
    }

    private static Map<String, String> versions() throws IOException {
        var versions = new LinkedHashMap<String, String>();
        for (var line : Files.readAllLines(Path.of("engines.txt"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                var fields = List.of(line.split(" "));
                versions.put(fields.get(0), fields.get(2));
            }
        }
        return versions;
    }
}
