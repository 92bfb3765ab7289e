package dev.ash.bench;

/** {@code java -cp 'dist/bench/*' dev.ash.bench.Bench burst|publish|neighbour|create|devices}. */
public final class Bench {
    public static void main(String[] args) throws Exception {
        var name = args.length == 1 ? args[0] : "";
        switch (name) {
            case "burst" -> Burst.run();
            case "publish" -> Publish.run();
            case "neighbour" -> Neighbour.run();
            case "create" -> Create.run();
            case "devices" -> Devices.run();
            default -> {
                System.err.println(
                        "say which benchmark to run: burst, publish, neighbour, create or devices");
                System.exit(2);
            }
        }
    }

    private Bench() {}
}
