package dev.ash.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.bench.result.Curve;
import dev.ash.bench.result.Figure;
import dev.ash.bench.result.Measured;
import dev.ash.bench.result.Result;
import dev.ash.bench.result.Verdict;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xml.sax.InputSource;

class ReportTest {
    private static final List<String> ORDER = List.of("start", "stop", "fanout");

    @TempDir Path directory;

    @Test
    void readsWrittenResult() throws IOException {
        var result = new Result(List.of(stop(4), fanout()));

        new Report(directory).write(result);

        assertThat(new Report(directory).read()).isEqualTo(result);
        assertThat(directory.resolve("result.json")).isNotEmptyFile();
    }

    @Test
    void storesBoundedNumberOfSamples() {
        var values = IntStream.range(0, 100_000).mapToObj(i -> i + 0.123456789).toList();

        var figure = Figure.millis("x", "", values);

        assertThat(figure.summary().count()).isEqualTo(100_000);
        assertThat(figure.summary().sample()).hasSizeLessThanOrEqualTo(100);
        assertThat(figure.summary().p50()).isEqualTo(50_000);
        assertThat(new Result(List.of(measured("stop", figure))).toJson()).hasSizeLessThan(3_000);
    }

    @Test
    void partialRunReplacesOnlyItsBenchmarks() {
        var all = new Result(List.of(measured("start", latency(1)), stop(4), fanout()));

        var updated = all.update(List.of(stop(5)), ORDER);

        assertThat(updated.benchmarks()).extracting(Measured::benchmark).isEqualTo(ORDER);
        assertThat(updated.find("stop")).contains(stop(5));
        assertThat(updated.find("start")).isEqualTo(all.find("start"));
    }

    @Test
    void writesPlotsAsValidXml() throws Exception {
        new Report(directory).write(new Result(List.of(fanout())));

        var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        var svg = Files.readString(directory.resolve("fanout.svg"));
        var root = builder.parse(new InputSource(new StringReader(svg))).getDocumentElement();
        assertThat(root.getTagName()).isEqualTo("svg");
        assertThat(root.getElementsByTagName("circle").getLength()).isEqualTo(3);
        assertThat(svg).contains("a &lt;b&gt;").doesNotContain("NaN", "Infinity");
    }

    @Test
    void pageNeedsNoOtherFileAndShowsLimits() throws IOException {
        new Report(directory).write(new Result(List.of(stop(4), stop(40), fanout())));

        assertThat(Files.readString(directory.resolve("index.html")))
                .contains("<svg", "class=\"met\"", "class=\"missed\"", "not met")
                .doesNotContain("src=", "href=");
    }

    @Test
    void tableShowsRatioAndVerdicts() {
        var figure = latency(4).over("bare commit", List.of(2.0)).atMost(3).atMost(5);

        assertThat(TextTable.terminal(List.of(measured("stop", figure))))
                .contains("bare commit 2.00 ms", "2.00×")
                .contains("NOT met: p50 4.00 ≤ 3.00 ms", "met:     p50 4.00 ≤ 5.00 ms");
        assertThat(TextTable.markdown(List.of(measured("stop", figure))))
                .contains("**not met**: p50 4.00 ≤ 3.00 ms; met: p50 4.00 ≤ 5.00 ms");
    }

    @Test
    void replacesTableOfDocument() {
        var document = "before\n" + DocsTable.BEGIN + "\nold\n" + DocsTable.END + "\nafter\n";

        var updated = DocsTable.replace(document, new Result(List.of(stop(4))));

        assertThat(updated)
                .startsWith("before\n" + DocsTable.BEGIN + "\nMeasured at: commit abc, 2026-11-18")
                .contains("| stop | own | 4.00 ms |")
                .endsWith(DocsTable.END + "\nafter\n")
                .doesNotContain("old");
        assertThatThrownBy(() -> DocsTable.replace("no marks", Result.empty()))
                .hasMessageContaining(DocsTable.BEGIN);
    }

    @Test
    void rejectsOtherFiles() throws IOException {
        var file = Files.writeString(directory.resolve("other.json"), "[1]");

        assertThatThrownBy(() -> Result.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a result of ./ash bench");
    }

    private static Figure latency(double millis) {
        return Figure.millis("stop", "own", List.of(millis, millis, millis));
    }

    private static Measured stop(double millis) {
        return measured("stop", latency(millis).with(Verdict.atMost("p50", millis, 10, "ms")));
    }

    private static Measured fanout() {
        var points = List.of(point(1), point(100), point(5000));
        var curve =
                new Curve(
                        "fanout", "subscribers", "ms", List.of(new Curve.Series("a <b>", points)));
        return new Measured(
                "fanout", "abc", "2026-11-18T00:00:00Z", "m", "", List.of(), List.of(curve));
    }

    private static Curve.Point point(double x) {
        return new Curve.Point(x, x / 10, x / 5);
    }

    private static Measured measured(String name, Figure figure) {
        return new Measured(
                name, "abc", "2026-11-18T00:00:00Z", "m", "", List.of(figure), List.of());
    }
}
