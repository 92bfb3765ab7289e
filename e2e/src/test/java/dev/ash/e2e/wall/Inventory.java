package dev.ash.e2e.wall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.HostProcess;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Looks at all processes that descend from a server, again and again, and keeps what is not as it
 * must be.
 */
final class Inventory {
    /** The program of bubblewrap's own process inside, before it runs another. */
    private static final String BUBBLEWRAP = "bwrap";

    private final ProcessFacts server;
    private final boolean hasGroups;
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Set<HostProcess> outside = ConcurrentHashMap.newKeySet();
    private final Map<Long, ProcessFacts> inside = new ConcurrentHashMap<>();
    private final Set<Long> known = new HashSet<>();
    private final Thread thread;
    private final CountDownLatch over = new CountDownLatch(1);

    Inventory(long server, boolean hasGroups) {
        this.server = ProcessFacts.read(server).orElseThrow();
        this.hasGroups = hasGroups;
        this.known.add(server);
        this.thread = Thread.ofPlatform().name("inventory").start(this::watch);
    }

    private void watch() {
        try {
            do {
                look();
            } while (!over.await(5, TimeUnit.MILLISECONDS));
        } catch (IOException e) {
            faults.add("the process table could not be read: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        }
    }

    private void look() throws IOException {
        var parents = ProcessFacts.parents();
        boolean more = true;
        while (more) { // until no child of a known process is new
            more = false;
            for (var process : parents.entrySet()) {
                more |= known.contains(process.getValue()) && known.add(process.getKey());
            }
        }
        known.retainAll(parents.keySet()); // numbers are used again
        for (long pid : known) {
            if (pid != server.pid()) {
                ProcessFacts.read(pid).ifPresent(this::check);
            }
        }
    }

    private void check(ProcessFacts process) {
        if (process.pidNamespace().equals(server.pidNamespace())) {
            var kind = HostProcess.of(process.command());
            if (kind.isEmpty()) {
                faults.add("not in the inventory: " + process.command());
            } else {
                outside.add(kind.get());
            }
            return;
        }
        if (process.program().endsWith("/" + BUBBLEWRAP)) {
            return; // still building the sandbox; what it runs is another program
        }
        var fault = fault(process);
        if (fault.isEmpty()) {
            inside.put(process.pid(), process);
        } else if (ProcessFacts.read(process.pid()).map(this::fault).orElse("").equals(fault)) {
            faults.add(fault + ": " + process.command());
        }
    }

    private String fault(ProcessFacts process) {
        if (!process.status("Seccomp").equals("2")) {
            return "no filter of system calls";
        }
        if (!process.status("NoNewPrivs").equals("1")) {
            return "may gain privileges";
        }
        if (!process.status("CapEff").matches("0+") || !process.status("CapBnd").matches("0+")) {
            return "has capabilities";
        }
        if (process.userNamespace().equals(server.userNamespace())) {
            return "in the host's user namespace";
        }
        return hasGroups && process.groups().equals(server.groups())
                ? "in the server's control group"
                : "";
    }

    /** Processes inside that were found to be as they must be. */
    boolean hasSeen(Predicate<ProcessFacts> wanted) {
        return inside.values().stream().anyMatch(wanted);
    }

    Set<HostProcess> outside() {
        return Set.copyOf(outside);
    }

    void assertNoFaults() {
        assertThat(faults).as("processes that are not isolated").isEmpty();
    }

    void stop() throws InterruptedException {
        over.countDown();
        thread.join();
    }
}
