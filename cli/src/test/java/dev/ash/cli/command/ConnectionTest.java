package dev.ash.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConnectionTest {
    @TempDir Path root;

    private static Connection find(Ash ash) {
        var discarding = new PrintStream(OutputStream.nullOutputStream());
        return Connection.find(ash.host(discarding, discarding));
    }

    private void write(String path, String text) throws IOException {
        Files.createDirectories(root.resolve(path).getParent());
        Files.writeString(root.resolve(path), text);
    }

    @Test
    void readsServerFromVariableThenFileThenDefault() throws IOException {
        assertThat(find(new Ash(root)).url()).isEqualTo("http://localhost:4100");

        var port = new Ash(root).with("ASH_PORT", "4711");
        assertThat(find(port).url()).isEqualTo("http://localhost:4711");
        assertThat(find(port).mayBeStarted()).isTrue();
        for (var none : new String[] {"0", "", "x", "-1", "99999999"}) {
            assertThat(find(new Ash(root).with("ASH_PORT", none)).url()).endsWith(":4100");
        }

        write("home/.ash/config.json", "{\"server_url\":\"http://localhost:5000\"}");
        assertThat(find(port).url()).isEqualTo("http://localhost:5000");
        assertThat(find(new Ash(root)).url()).isEqualTo("http://localhost:5000");

        var ash = new Ash(root).with("ASH_SERVER_URL", "http://other:1");
        assertThat(find(ash).url()).isEqualTo("http://other:1");
    }

    @Test
    void readsKeyFromVariableThenFileThenDataDirectory() throws IOException {
        assertThat(find(new Ash(root)).keyAdvice()).contains("No API key was found");

        write("data/initial-api-key", "ash_first\n");
        assertThat(find(new Ash(root)).keyAdvice()).contains("initial-api-key");

        write(
                "home/.ash/config.json",
                "{\"server_url\":\"http://localhost:5000\",\"api_key\":\"ash_file\"}");
        assertThat(find(new Ash(root)).keyAdvice()).contains("config.json");

        var ash = new Ash(root).with("ASH_API_KEY", "ash_env");
        assertThat(find(ash).keyAdvice()).contains("ASH_API_KEY");
    }

    @Test
    void sendsNoLocalKeyToAnotherHost() throws IOException {
        write("data/initial-api-key", "ash_first\n");
        write("home/.ash/config.json", "{\"api_key\":\"ash_file\"}");

        var ash = new Ash(root).with("ASH_SERVER_URL", "http://example.invalid");

        assertThat(find(ash).keyAdvice()).contains("No API key was found");
        assertThat(find(ash).mayBeStarted()).isFalse();
    }

    @Test
    void startsOnlyLocalServersNotGivenByVariable() throws IOException {
        assertThat(find(new Ash(root)).mayBeStarted()).isTrue();
        var ash = new Ash(root).with("ASH_SERVER_URL", "http://localhost:1");
        assertThat(find(ash).mayBeStarted()).isFalse();

        write("home/.ash/config.json", "{\"server_url\":\"http://10.0.0.1:4100\"}");
        assertThat(find(new Ash(root)).mayBeStarted()).isFalse();
    }

    @Test
    void reportsMalformedConfigFile() throws IOException {
        write("home/.ash/config.json", "not json");

        var result = new Ash(root).run("health");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("config.json is not a JSON object");
    }
}
