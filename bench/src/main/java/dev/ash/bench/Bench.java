package dev.ash.bench;

import java.util.Arrays;

/**
 * The main class of the benchmarks: {@code java -cp 'dist/bench/*' dev.ash.bench.Bench
 * burst|publish|neighbor|create|devices|purge|compare}. Only {@code compare} has options; {@code
 * compare --help} lists them.
 */
public final class Bench {
    public static void main(String[] args) throws Exception {
        var name = args.length == 0 ? "" : args[0];
        var options = Arrays.asList(args).subList(Math.min(1, args.length), args.length);
        if (!options.isEmpty() && !name.equals("compare")) {
            name = "";
        }
        switch (name) {
            case "burst" -> Burst.run();
            case "publish" -> Publish.run();
            case "neighbor" -> NoisyNeighbor.run();
            case "create" -> Create.run();
            case "devices" -> Devices.run();
            case "purge" -> Purge.run();
            case "compare" -> System.exit(Compare.run(options));
            default -> {
                System.err.println(
                        "Usage: Bench burst|publish|neighbor|create|devices|purge, or Bench compare"
                                + " [option …]; compare --help lists the options");
                System.exit(2);
            }
        }
    }

    private Bench() {}
}
