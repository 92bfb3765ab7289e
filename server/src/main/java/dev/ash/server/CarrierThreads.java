package dev.ash.server;

/**
 * How many platform threads run the virtual ones. By default there is one per processor, and
 * nothing takes it away from a virtual thread that computes: a tenant that uploads several large
 * files at once would hold all of them, and everyone else would wait. With more of them than there
 * are large requests at a time (the memory budgets bound those), the kernel shares the processors.
 */
final class CarrierThreads {
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
    private static final int SPARE = 16;

    /** Has an effect only before the first virtual thread. A value from the command line wins. */
    static void configure() {
        if (System.getProperty(PARALLELISM) == null) {
            int count = Runtime.getRuntime().availableProcessors() + SPARE;
            System.setProperty(PARALLELISM, Integer.toString(count));
        }
    }

    private CarrierThreads() {}
}
