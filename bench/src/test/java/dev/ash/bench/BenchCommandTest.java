package dev.ash.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.bench.report.Report;
import dev.ash.bench.result.Figure;
import dev.ash.bench.server.Installation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {
    @TempDir Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @Test
    void rejectsUnknownBenchmark() throws Exception {
        assertThat(run("stopp")).isEqualTo(2);

        assertThat(err.toString(UTF_8))
                .startsWith("ash bench: unknown benchmark \"stopp\"; expected one of: start, ");
        assertThat(out.size()).isZero();
        assertThat(directory.resolve("report")).doesNotExist();
    }

    @Test
    void listsBenchmarks() throws Exception {
        assertThat(run("--list")).isZero();

        assertThat(out.toString(UTF_8)).contains("create-cold", "bridge-start", "(on request)");
        assertThat(Catalog.names()).doesNotHaveDuplicates();
    }

    /** Starts the real server with a stand-in bridge. */
    @Test
    void measuresAndCleansUp() throws Exception {
        var before = workDirectories();

        assertThat(run("publish", "--runs", "1", "--json")).as(err.toString(UTF_8)).isZero();

        var result = new Report(directory.resolve("report")).read();
        var publish = result.find("publish").orElseThrow();
        assertThat(publish.skipped()).isEmpty();
        var figure = publish.figures().getFirst();
        assertThat(figure.bridge()).isEqualTo(Figure.STAND_IN);
        assertThat(figure.summary().count()).isEqualTo(10);
        assertThat(figure.summary().p50()).isPositive();
        assertThat(figure.ratio()).isPositive();
        assertThat(out.toString(UTF_8)).isEqualTo(result.toJson());
        assertThat(directory.resolve("report/index.html")).isNotEmptyFile();
        assertThat(workDirectories()).isEqualTo(before);
    }

    private int run(String... arguments) throws Exception {
        var installation = new Installation(Path.of("../dist").toAbsolutePath().normalize());
        return new BenchCommand(
                        new PrintStream(out, true, UTF_8),
                        new PrintStream(err, true, UTF_8),
                        installation,
                        new Report(directory.resolve("report")))
                .run(List.of(arguments));
    }

    /** Returns those of this process: other runs may be active. */
    private static Set<String> workDirectories() throws IOException {
        try (var files = Files.list(Path.of("/tmp"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("ash-bench-" + ProcessHandle.current().pid()))
                    .collect(Collectors.toSet());
        }
    }
}
