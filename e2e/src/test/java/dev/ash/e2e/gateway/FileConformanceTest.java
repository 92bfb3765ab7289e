package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests listing and reading the files of a project by a device. */
@NeedsClaude
class FileConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static String session;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair());
        session = phone.start("claude-code", ash.project().directory());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    private static JsonNode list(String path) {
        return phone.ask(
                "file_list", Map.of("session_id", session, "path", path), "file_list_response");
    }

    private static JsonNode read(String path, int offset, int limit) {
        return phone.ask(
                "file_read",
                Map.of("session_id", session, "path", path, "offset", offset, "limit", limit),
                "file_read_response");
    }

    private static JsonNode entry(JsonNode listed, String name) {
        return listed.path("entries")
                .valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + listed));
    }

    @TestFactory
    Stream<DynamicTest> sendsFileListResponseWithEveryField() {
        var listed = list(ash.project().directory());
        return Stream.of(
                        Checks.of("file_list_response", listed)
                                .equal("session_id", session)
                                .equal("path", ash.project().directory())
                                .list("entries")
                                .all(),
                        Checks.of("file_list_response.entries (file)", entry(listed, "notes.txt"))
                                .equal("name", "notes.txt")
                                .equal("path", ash.project().directory() + "/notes.txt")
                                .equal("type", "file")
                                .equal("size", 40)
                                .time("modified")
                                .all(),
                        Checks.of("file_list_response.entries (directory)", entry(listed, "src"))
                                .equal("type", "directory")
                                .equal("path", ash.project().directory() + "/src")
                                .absent("size")
                                .all())
                .flatMap(each -> each);
    }

    @Test
    void resolvesADotToTheWorkingDirectory() {
        assertThat(list(".").path("path").asString()).isEqualTo(ash.project().directory());
        assertThat(list(".").path("entries"))
                .isEqualTo(list(ash.project().directory()).path("entries"));
    }

    @Test
    void resolvesRelativePathsAgainstTheWorkingDirectory() {
        assertThat(entry(list("src"), "Main.java").path("path").asString())
                .isEqualTo(ash.project().directory() + "/src/Main.java");
        assertThat(read("src/Main.java", 0, 100).path("content").asString())
                .startsWith("class Main {");
    }

    @TestFactory
    Stream<DynamicTest> sendsFileReadResponseWithEveryField() {
        var path = ash.project().directory() + "/notes.txt";
        return Checks.of("file_read_response", read(path, 0, 100))
                .equal("session_id", session)
                .equal("path", path)
                .equal("content", ash.project().read("notes.txt"))
                .equal("size", 40)
                .equal("lines", 8)
                .all();
    }

    @Test
    void appliesOffsetAndLimitToLinesAndSendsTotals() {
        var page = read("notes.txt", 2, 2);
        assertThat(page.path("content").asString()).isEqualTo("three\nFOUR\n");
        assertThat(page.path("size").asInt()).isEqualTo(40);
        assertThat(page.path("lines").asInt()).isEqualTo(8);
    }

    @Test
    void readsTheWholeFileWithoutOffsetAndLimit() {
        var page =
                phone.ask(
                        "file_read",
                        Map.of("session_id", session, "path", "notes.txt"),
                        "file_read_response");
        assertThat(page.path("content").asString()).isEqualTo(ash.project().read("notes.txt"));
    }

    @Test
    void marksABinaryFile() {
        var page = read("logo.bin", 0, 100);
        assertThat(page.path("binary").asBoolean()).isTrue();
        assertThat(page.path("content").asString("none")).isEmpty();
        assertThat(page.path("size").asInt()).isEqualTo(4);
        assertThat(page.path("hasMore").asBoolean(true)).isFalse();
    }

    @Test
    void listsAllEntriesUnlessAPageIsRequested() throws IOException {
        Files.createDirectories(ash.project().path().resolve("many"));
        for (int i = 0; i < 150; i++) {
            ash.project().write("many/file-%03d.txt".formatted(i), "x");
        }
        ash.project().write("many/.hidden", "x");
        var all = list("many");
        assertThat(all.path("entries").size()).isEqualTo(151);
        assertThat(all.path("total").asInt()).isEqualTo(151);
        assertThat(all.path("hasMore").asBoolean(true)).isFalse();
        entry(all, ".hidden");

        var page = page(Map.of("limit", 10, "offset", 145));
        assertThat(page.path("entries").size()).isEqualTo(5);
        assertThat(page.path("total").asInt()).isEqualTo(150);
        assertThat(page(Map.of("limit", 10)).path("hasMore").asBoolean()).isTrue();
        assertThat(page(Map.of("limit", 10, "includeHidden", true)).path("total").asInt())
                .isEqualTo(151);
        assertThat(page(Map.of("includeHidden", false)).path("total").asInt()).isEqualTo(150);
    }

    private static JsonNode page(Map<String, Object> more) {
        var payload = new HashMap<>(more);
        payload.put("session_id", session);
        payload.put("path", "many");
        return phone.ask("file_list", payload, "file_list_response");
    }

    @Test
    void readsAPathWithQuotesAndUmlauts() {
        assertThat(read(SampleRepository.QUOTED, 0, 10).path("content").asString())
                .isEqualTo("quoted\nmore\n");
    }

    @TestFactory
    Stream<DynamicTest> reportsPathsOutsideTheProjectAsBridgeError() {
        var tests = new ArrayList<DynamicTest>();
        for (var path : List.of("/etc/passwd", "../../data", "src/../../..", "out", "/")) {
            for (var type : List.of("file_list", "file_read")) {
                tests.add(
                        DynamicTest.dynamicTest(
                                type + " of " + path,
                                () -> {
                                    var error =
                                            phone.assertError(
                                                    type,
                                                    Map.of("session_id", session, "path", path),
                                                    "BRIDGE_ERROR",
                                                    true);
                                    assertThat(error.path("session_id").asString())
                                            .isEqualTo(session);
                                }));
            }
        }
        return tests.stream();
    }

    @Test
    void reportsAMissingFileAsBridgeError() {
        phone.assertError(
                "file_read",
                Map.of("session_id", session, "path", "nowhere.txt"),
                "BRIDGE_ERROR",
                true);
    }

    @Test
    void rejectsReadingADirectory() {
        phone.assertError(
                "file_read", Map.of("session_id", session, "path", "src"), "BRIDGE_ERROR", true);
    }
}
