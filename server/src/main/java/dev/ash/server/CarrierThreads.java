package dev.ash.server;

/**
 * Configures the number of carrier threads of virtual threads. By default there is one per
 * processor, and a virtual thread that computes is not preempted: a tenant that uploads several
 * large files concurrently would occupy all carriers and block all other requests. With more
 * carriers than concurrent large requests (which the memory budgets limit), the kernel schedules
 * them fairly.
 */
final class CarrierThreads {
    private static final String PARALLELISM = "jdk.virtualThreadScheduler.parallelism";
    private static final int EXTRA = 16;

    /**
     * Call before the first virtual thread starts. A value from the command line takes precedence.
     */
    static void configure() {
        if (System.getProperty(PARALLELISM) == null) {
            int count = Runtime.getRuntime().availableProcessors() + EXTRA;
            System.setProperty(PARALLELISM, Integer.toString(count));
        }
    }

    private CarrierThreads() {}
}
