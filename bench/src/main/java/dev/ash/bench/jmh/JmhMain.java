package dev.ash.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs the JMH benchmarks with {@code RESULT_FILE ITERATIONS} and writes their result. */
public final class JmhMain {
    public static void main(String[] args) throws Exception {
        var options =
                new OptionsBuilder()
                        .include("dev\\.ash\\.bench\\.jmh\\..*")
                        .forks(1)
                        .warmupIterations(3)
                        .warmupTime(new TimeValue(500, TimeUnit.MILLISECONDS))
                        .measurementIterations(Integer.parseInt(args[1]))
                        .measurementTime(new TimeValue(300, TimeUnit.MILLISECONDS))
                        .jvmArgs("--enable-native-access=ALL-UNNAMED", "-Xmx512m")
                        .verbosity(VerboseMode.SILENT)
                        .resultFormat(ResultFormatType.JSON)
                        .result(args[0])
                        .build();
        new Runner(options).run();
    }

    private JmhMain() {}
}
