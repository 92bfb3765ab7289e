package dev.ash.bench.report;

import dev.ash.bench.result.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The files of {@code bench/report}. */
public record Report(Path directory) {
    public Path resultFile() {
        return directory.resolve("result.json");
    }

    /** Returns the latest result; empty if there is none. */
    public Result read() throws IOException {
        return Files.exists(resultFile()) ? Result.read(resultFile()) : Result.empty();
    }

    public void write(Result result) throws IOException {
        Files.createDirectories(directory);
        for (var benchmark : result.benchmarks()) {
            for (var curve : benchmark.curves()) {
                write(curve.name() + ".svg", new CurvePlot(curve).draw());
            }
        }
        write("index.html", Page.of(result));
        write("result.json", result.toJson());
    }

    /** Replaces a file atomically, so that a terminated run leaves no partial result. */
    private void write(String name, String content) throws IOException {
        var draft = directory.resolve("." + name + ".draft");
        Files.writeString(draft, content);
        Files.move(draft, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }
}
