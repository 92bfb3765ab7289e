package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: file operations. */
class DeviceFilesTest {
    @RegisterExtension static final AshExtension ash = SharedServers.DEVICES;

    private static final String SCREEN = DeviceProject.SCREEN;

    private static DeviceGateway gateway;
    private static DeviceSocket device;
    private static String session;
    private static JsonNode listing;
    private static JsonNode content;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash, "files");
        device = gateway.connect();
        session = gateway.startSession(device);
        listing = list("/home/user/project/lib");
        content = read("/home/user/project/lib/auth.dart", 0, 100);
    }

    @AfterAll
    static void stop() {
        device.close();
    }

    private static String adapted(String frame) {
        return frame.replace("sess-abc123", session)
                .replace("/home/user/project", gateway.project().path().toString());
    }

    private static JsonNode list(String path) {
        return device.ask(
                adapted(
                        """
                        { "type": "file_list", "id": "file-001", "payload": { \
                        "session_id": "sess-abc123", "path": "%s" }}"""
                                .formatted(path)));
    }

    private static JsonNode read(String path, int offset, int limit) {
        return device.ask(
                adapted(
                        """
                        { "type": "file_read", "id": "file-002", "payload": { \
                        "session_id": "sess-abc123", "path": "%s", "offset": %d, "limit": %d }}"""
                                .formatted(path, offset, limit)));
    }

    @Statement(id = "004-220", says = "file_list is answered with file_list_response")
    @Test
    void answersAListRequestWithItsId() {
        assertThat(listing.path("type").asString()).isEqualTo("file_list_response");
        assertThat(listing.path("id").asString()).isEqualTo("file-001");
        assertThat(listing.at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-221", says = "file_list_response: path is that of the request")
    @Test
    void sendsThePathOfAListing() {
        assertThat(listing.at("/payload/path").asString())
                .isEqualTo(adapted("/home/user/project/lib"));
    }

    private static JsonNode entry(String name) {
        return listing.at("/payload/entries")
                .valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name + " is not in " + listing));
    }

    @Statement(id = "004-222", says = "file_list_response: entries list the directory's content")
    @Test
    void listsTheDirectory() {
        assertThat(
                        listing.at("/payload/entries")
                                .valueStream()
                                .map(each -> each.path("name").asString()))
                .containsExactlyInAnyOrder("auth.dart", "features", "models");
    }

    @Statement(id = "004-223", says = "file_list_response: a file has type file")
    @Test
    void sendsTheTypeOfAFile() {
        assertThat(entry("auth.dart").path("type").asString()).isEqualTo("file");
    }

    @Statement(id = "004-224", says = "file_list_response: a file has a size")
    @Test
    void sendsTheSizeOfAFile() {
        assertThat(entry("auth.dart").path("size").isIntegralNumber()).isTrue();
        assertThat(entry("auth.dart").path("size").asInt()).isEqualTo(2048);
    }

    @Statement(id = "004-225", says = "file_list_response: a directory has type directory, no size")
    @Test
    void sendsTheTypeOfADirectory() {
        assertThat(entry("models").path("type").asString()).isEqualTo("directory");
        assertThat(entry("models").has("size")).isFalse();
    }

    @Statement(id = "004-226", says = "file_list lists all files of a directory, hidden ones too")
    @Test
    void listsHiddenFiles() {
        gateway.project().write("lib/.hidden", "");
        var names =
                list("/home/user/project/lib")
                        .at("/payload/entries")
                        .valueStream()
                        .map(each -> each.path("name").asString())
                        .toList();
        gateway.project().reset();
        assertThat(names).contains(".hidden");
    }

    @Statement(id = "004-227", says = "file_read is answered with file_read_response")
    @Test
    void answersAReadRequestWithItsId() {
        assertThat(content.path("type").asString()).isEqualTo("file_read_response");
        assertThat(content.path("id").asString()).isEqualTo("file-002");
        assertThat(content.at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-228", says = "file_read: path is the file")
    @Test
    void sendsThePathOfAFile() {
        assertThat(content.at("/payload/path").asString())
                .isEqualTo(adapted("/home/user/project/lib/auth.dart"));
    }

    @Statement(id = "004-229", says = "file_read: offset is where to begin")
    @Test
    void readsFromTheOffset() {
        assertThat(read("/home/user/project/" + SCREEN, 11, 100).at("/payload/content").asString())
                .startsWith("class BridgeConnectionValidator {\n");
    }

    @Statement(id = "004-230", says = "file_read: limit is how much to read")
    @Test
    void readsUpToTheLimit() {
        assertThat(read("/home/user/project/" + SCREEN, 9, 2).at("/payload/content").asString())
                .isEqualTo("// 10\n// 11\n");
    }

    @Statement(id = "004-231", says = "file_read_response: content")
    @Test
    void sendsTheContentOfAFile() {
        assertThat(content.at("/payload/content").asString())
                .isEqualTo(gateway.project().read("lib/auth.dart"));
    }

    @Statement(id = "004-232", says = "file_read_response: size is that of the file")
    @Test
    void sendsTheSizeOfTheFileThatIsRead() {
        assertThat(content.at("/payload/size").asInt()).isEqualTo(2048);
        assertThat(read("/home/user/project/lib/auth.dart", 0, 1).at("/payload/size").asInt())
                .isEqualTo(2048);
    }

    @Statement(id = "004-233", says = "file_read_response: lines is their number in the file")
    @Test
    void sendsTheNumberOfLines() {
        assertThat(content.at("/payload/lines").asInt()).isEqualTo(45);
        assertThat(read("/home/user/project/lib/auth.dart", 0, 1).at("/payload/lines").asInt())
                .isEqualTo(45);
    }
}
