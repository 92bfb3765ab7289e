package dev.ash.e2e.isolation;

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
 * Polls all descendants of a server process and records those that are neither isolated nor listed
 * in {@link HostProcess}.
 */
final class Inventory {
    /** The program of a sandbox's first process before it executes its command. */
    private static final String BUBBLEWRAP = "bwrap";

    private final ProcessSnapshot server;
    private final boolean hasGroups;
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Set<HostProcess> outside = ConcurrentHashMap.newKeySet();
    private final Map<Long, ProcessSnapshot> inside = new ConcurrentHashMap<>();
    private final Set<Long> known = new HashSet<>();
    private final Thread thread;
    private final CountDownLatch over = new CountDownLatch(1);

    Inventory(long server, boolean hasGroups) {
        this.server = ProcessSnapshot.read(server).orElseThrow();
        this.hasGroups = hasGroups;
        this.known.add(server);
        this.thread = Thread.ofPlatform().name("inventory").start(this::run);
    }

    private void run() {
        try {
            do {
                poll();
            } while (!over.await(5, TimeUnit.MILLISECONDS));
        } catch (IOException e) {
            faults.add("failed to read the process table: " + e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not expected
        }
    }

    private void poll() throws IOException {
        var parents = ProcessSnapshot.parents();
        boolean more = true;
        while (more) { // until the set of descendants is complete
            more = false;
            for (var process : parents.entrySet()) {
                more |= known.contains(process.getValue()) && known.add(process.getKey());
            }
        }
        known.retainAll(parents.keySet()); // the kernel reuses pids
        for (long pid : known) {
            if (pid != server.pid()) {
                ProcessSnapshot.read(pid).ifPresent(this::check);
            }
        }
    }

    private void check(ProcessSnapshot process) {
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
            return; // still building the sandbox
        }
        var fault = fault(process);
        if (fault.isEmpty()) {
            inside.put(process.pid(), process);
        } else if (ProcessSnapshot.read(process.pid()).map(this::fault).orElse("").equals(fault)) {
            faults.add(fault + ": " + process.command());
        }
    }

    private String fault(ProcessSnapshot process) {
        if (!process.status("Seccomp").equals("2")) {
            return "no system call filter";
        }
        if (!process.status("NoNewPrivs").equals("1")) {
            return "can gain privileges";
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

    /** Returns whether a matching isolated process was found. */
    boolean hasChecked(Predicate<ProcessSnapshot> wanted) {
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
