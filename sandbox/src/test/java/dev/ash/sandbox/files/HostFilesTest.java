package dev.ash.sandbox.files;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.sandbox.files.EtcDirectory.NameResolution;
import dev.ash.sandbox.launch.Mount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The {@code /etc} of sandboxes and their output files. */
class HostFilesTest {
    @TempDir private Path directory;
    private Path host;

    @BeforeEach
    void makeHost() throws IOException {
        host = Files.createDirectories(directory.resolve("host/ssl/certs")).getParent().getParent();
        Files.createDirectories(host.resolve("ssl/private"));
        Files.createDirectories(host.resolve("java-17-openjdk"));
        Files.writeString(host.resolve("shadow"), "root:secret");
        Files.writeString(host.resolve("ld.so.cache"), "cache");
        Files.writeString(host.resolve("resolv.conf"), "nameserver 10.0.0.1\n");
        Files.writeString(host.resolve("hosts"), "10.0.0.2 model\n");
        Files.write(host.resolve("localtime"), new byte[] {'T', 'Z', (byte) 0xFF});
    }

    @Test
    void etcContainsOneUserAndNameResolution() throws IOException {
        Files.createDirectory(directory.resolve("etc"));

        var etc = EtcDirectory.prepare(directory.resolve("etc"), host, NameResolution.HOST);

        assertThat(etc.mounts())
                .containsExactly(
                        Mount.readOnly(directory.resolve("etc"), "/etc"),
                        Mount.readOnly(host.resolve("java-17-openjdk"), "/etc/java-17-openjdk"),
                        Mount.readOnly(host.resolve("ld.so.cache"), "/etc/ld.so.cache"),
                        Mount.readOnly(host.resolve("ssl/certs"), "/etc/ssl/certs"));
        var made = directory.resolve("etc");
        assertThat(made.resolve("ssl/certs")).isEmptyDirectory();
        assertThat(made.resolve("ld.so.cache")).isEmptyFile();
        assertThat(made.resolve("passwd")).content().startsWith("agent:x:1000:1000:");
        assertThat(made.resolve("hosts")).content().contains("10.0.0.2 model", "127.0.0.1 sandbox");
        assertThat(made.resolve("localtime")).hasSameBinaryContentAs(host.resolve("localtime"));
        assertThat(made.resolve("shadow")).doesNotExist();
        assertThat(made.resolve("ssl/private")).doesNotExist();
    }

    @Test
    void refreshUpdatesNameResolution() throws IOException {
        var made = Files.createDirectory(directory.resolve("etc"));
        var etc = EtcDirectory.prepare(made, host, NameResolution.HOST);
        Files.writeString(host.resolve("resolv.conf"), "nameserver 10.9.9.9\n");

        etc.refresh();

        assertThat(directory.resolve("etc/resolv.conf")).hasContent("nameserver 10.9.9.9");
    }

    @Test
    void etcWithoutHostNetworkOmitsHostNames() throws IOException {
        var made = Files.createDirectory(directory.resolve("etc"));

        EtcDirectory.prepare(made, host, NameResolution.LOOPBACK);

        assertThat(made.resolve("resolv.conf")).isEmptyFile();
        assertThat(made.resolve("hosts")).content().doesNotContain("model").contains("localhost");
    }

    @Test
    void keepsEndOfLargeOutputFile() throws IOException {
        var logs = OutputFiles.prepare(directory.resolve("logs"));
        Files.writeString(logs.stderr(), "x".repeat((int) OutputFiles.MAX_BYTES) + "the end");

        OutputFiles.prepare(directory.resolve("logs"));

        assertThat(Files.size(logs.stderr())).isEqualTo(1024 * 1024);
        assertThat(OutputFiles.tail(logs.stderr(), 0)).hasSize(2048).endsWith("the end");
    }

    @Test
    void tailOmitsTimingLines() throws IOException {
        var logs = OutputFiles.prepare(directory.resolve("logs"));
        var timing = "{\"type\":\"timing\",\"source\":\"bridge\",\"totalMs\":1.5}\n";
        Files.writeString(logs.stderr(), "out of memory\n" + timing.repeat(200));

        assertThat(OutputFiles.tail(logs.stderr(), 0)).isEqualTo("out of memory");

        Files.writeString(logs.stderr(), timing);
        assertThat(OutputFiles.tail(logs.stderr(), 0)).isEmpty();
    }

    @Test
    void tailStartsAtOffsetOfLaunch() throws IOException {
        var logs = OutputFiles.prepare(directory.resolve("logs"));
        Files.writeString(logs.stderr(), "earlier\nnow\n");

        assertThat(OutputFiles.tail(logs.stderr(), 8)).isEqualTo("now");
        assertThat(OutputFiles.tail(logs.stderr(), 12)).isEmpty();
        assertThat(OutputFiles.tail(directory.resolve("none"), 0)).isEmpty();
    }
}
