package dev.ash.bench;

/** {@code java -cp 'dist/bench/*' dev.ash.bench.Bench burst|publish|neighbour|create}. */
public final class Bench {
    public static void main(String[] args) throws Exception {
        var name = args.length == 1 ? args[0] : "";
        switch (name) {
            case "burst" -> Burst.run();
            case "publish" -> Publish.run();
            case "neighbour" -> Neighbour.run();
            case "create" -> Create.run();
            default -> {
                System.err.println(
                        "say which benchmark to run: burst, publish, neighbour or create");
                System.exit(2);
            }
        }
    }

    private Bench() {}
}
