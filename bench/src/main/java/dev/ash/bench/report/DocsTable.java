package dev.ash.bench.report;

import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;

/** Writes the table of {@code docs/performance.md} between two comments. */
public final class DocsTable {
    static final String BEGIN = "<!-- begin: ./ash bench --docs -->";
    static final String END = "<!-- end: ./ash bench --docs -->";

    public static void update(Path file, Result result) throws IOException {
        Files.writeString(file, replace(Files.readString(file), result));
    }

    static String replace(String document, Result result) {
        int begin = document.indexOf(BEGIN);
        int end = document.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException(
                    "docs/performance.md must contain the lines \"%s\" and \"%s\""
                            .formatted(BEGIN, END));
        }
        return document.substring(0, begin + BEGIN.length())
                + "\n"
                + table(result)
                + document.substring(end);
    }

    private static String table(Result result) {
        var sources = new LinkedHashSet<String>();
        for (Measured measured : result.benchmarks()) {
            sources.add(
                    "commit %s, %s, %s"
                            .formatted(
                                    measured.commit(),
                                    measured.time().replaceFirst("T.*", ""),
                                    measured.machine()));
        }
        return "Measured at: "
                + String.join("; ", sources)
                + ".\n\n"
                + TextTable.markdown(result.benchmarks());
    }

    private DocsTable() {}
}
