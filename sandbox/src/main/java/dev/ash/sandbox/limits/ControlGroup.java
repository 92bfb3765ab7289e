package dev.ash.sandbox.limits;

import dev.ash.sandbox.limits.ControlGroupVersion.Need;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The control group of one sandbox: a directory in each hierarchy; none if the host has no usable
 * hierarchy. Processes cannot leave it, so an empty group proves that no process of the sandbox is
 * left.
 */
public final class ControlGroup {
    private static final Logger LOG = System.getLogger(ControlGroup.class.getName());
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** No control group, for hosts without usable hierarchies. */
    public static final ControlGroup NONE = new ControlGroup("none", List.of());

    private final String name;
    private final List<Hierarchy> parents;
    private volatile @Nullable Pressure finalPressure;

    /** Creates a group below the given parents. */
    ControlGroup(String name, List<Hierarchy> parents) {
        this.name = name;
        this.parents = List.copyOf(parents);
    }

    /** Returns the group that an earlier server has {@linkplain #lines recorded}. */
    public static ControlGroup recorded(String name, List<String> lines) {
        return new ControlGroup(name, lines.stream().map(Hierarchy::parse).toList());
    }

    /** Returns the location of the group for a launch record. */
    public List<String> lines() {
        return parents.stream().map(Hierarchy::line).toList();
    }

    /** Whether there is a group in any hierarchy. */
    public boolean exists() {
        return !parents.isEmpty();
    }

    /** Creates the group, replacing an old one, and sets the limits; reads each of them back. */
    public void create(ResolvedLimits limits) throws IOException {
        createForStart(limits);
        limitProcessor(limits);
    }

    /**
     * Like {@link #create}, but without the limit of processor time: it would delay the start of a
     * bridge, before which no other program runs in the group.
     */
    public void createForStart(ResolvedLimits limits) throws IOException {
        destroy();
        finalPressure = null;
        for (var parent : parents) {
            Files.createDirectory(directory(parent));
        }
        set(limits, limit -> limit != Limit.CPU);
    }

    /** Sets the limit of processor time after {@link #createForStart}. */
    public void limitProcessor(ResolvedLimits limits) throws IOException {
        set(limits, limit -> limit == Limit.CPU);
    }

    private void set(ResolvedLimits limits, Predicate<Limit> included) throws IOException {
        for (var parent : parents) {
            for (var limit : parent.limits().stream().filter(included).toList()) {
                for (var setting : parent.version().settings(limit, limits)) {
                    var file = directory(parent).resolve(setting.file());
                    if (setting.need() == Need.REQUIRED || Files.exists(file)) {
                        ControlGroupFiles.write(file, setting.value());
                    }
                }
            }
        }
        verify(limits, included);
    }

    /**
     * Returns the {@code cgroup.procs} files; a process joins the group by writing its pid to them.
     */
    public List<Path> procsFiles() {
        return parents.stream()
                .map(parent -> directory(parent).resolve(ControlGroupFiles.PROCS))
                .toList();
    }

    /** Verifies the limits that the kernel reports, and that the process is in the group. */
    public void verify(ResolvedLimits limits, long member) throws IOException {
        verify(limits, _ -> true);
        for (var parent : parents) {
            if (!ControlGroupFiles.members(directory(parent)).contains(member)) {
                throw new IOException(
                        "process %d is not in its control group %s"
                                .formatted(member, directory(parent)));
            }
        }
    }

    private void verify(ResolvedLimits limits, Predicate<Limit> included) throws IOException {
        for (var parent : parents) {
            for (var limit : parent.limits().stream().filter(included).toList()) {
                for (var setting : parent.version().settings(limit, limits)) {
                    var file = directory(parent).resolve(setting.file());
                    if (setting.need() == Need.OPTIONAL && Files.notExists(file)) {
                        continue;
                    }
                    var actual = ControlGroupFiles.read(file);
                    if (!actual.equals(setting.value())) {
                        throw new IOException(
                                "%s was set to %s but is %s"
                                        .formatted(file, setting.value(), actual));
                    }
                }
            }
        }
    }

    /** Returns the host pids of the processes in the group. */
    public Set<Long> members() {
        var members = new TreeSet<Long>();
        for (var parent : parents) {
            try {
                members.addAll(ControlGroupFiles.members(directory(parent)));
            } catch (IOException e) {
                if (Files.exists(directory(parent))) { // not removed concurrently
                    LOG.log(
                            Level.WARNING,
                            "Cannot read control group {0}: {1}",
                            directory(parent),
                            e);
                }
            }
        }
        return members;
    }

    /** Returns how often the group hit a limit; after a kill, the final counts. */
    public Pressure pressure() {
        var known = finalPressure;
        return known == null ? count() : known;
    }

    private Pressure count() {
        var pressure = Pressure.NONE;
        for (var parent : parents) {
            var directory = directory(parent);
            pressure =
                    pressure.plus(
                            new Pressure(
                                    ControlGroupFiles.count(directory, parent.version().oomKills()),
                                    ControlGroupFiles.count(
                                            directory, ControlGroupVersion.refusedForks())));
        }
        return pressure;
    }

    /** Kills all processes of the group, without waiting. */
    public void kill() {
        freezePressure();
        kill(members());
    }

    /** Prepares for the kill of all processes by the caller. */
    public void prepareKill() {
        freezePressure();
        parents.forEach(this::removeProcessorLimit);
    }

    /** An exit needs processor time. */
    private void removeProcessorLimit(Hierarchy parent) {
        tryToWrite(directory(parent).resolve("cpu.cfs_quota_us"), "-1");
        tryToWrite(directory(parent).resolve("cpu.max"), "max");
    }

    /** Keeps the counts from before a kill, as killing increases them. */
    private synchronized void freezePressure() {
        if (finalPressure == null) {
            finalPressure = count();
        }
    }

    /** Kills all processes, waits until none is left, and removes the group. Idempotent. */
    public void destroy() {
        freezePressure();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        for (var members = members(); !members.isEmpty(); members = members()) {
            if (System.nanoTime() > deadline) {
                LOG.log(
                        Level.ERROR,
                        "Processes of control group {0} did not exit: {1}",
                        name,
                        members);
                return;
            }
            kill(members);
            pause();
        }
        for (var parent : parents) {
            remove(directory(parent), deadline);
        }
    }

    private void kill(Iterable<Long> members) {
        for (var parent : parents) {
            tryToWrite(directory(parent).resolve("pids.max"), "0"); // no new forks while killing
            removeProcessorLimit(parent);
            tryToWrite(directory(parent).resolve("cgroup.kill"), "1");
        }
        for (long member : members) {
            ProcessHandle.of(member).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static void tryToWrite(Path file, String value) {
        try {
            if (Files.exists(file)) {
                ControlGroupFiles.write(file, value);
            }
        } catch (IOException e) {
            // The group is gone, or signals must suffice.
        }
    }

    /** Removes a group, retrying: the kernel may keep it busy briefly after its last process. */
    private static void remove(Path directory, long deadline) {
        while (true) {
            try {
                Files.delete(directory);
                return;
            } catch (NoSuchFileException e) {
                return;
            } catch (IOException e) {
                if (e instanceof DirectoryNotEmptyException || System.nanoTime() > deadline) {
                    LOG.log(Level.WARNING, "Cannot remove control group {0}: {1}", directory, e);
                    return;
                }
                pause();
            }
        }
    }

    private Path directory(Hierarchy parent) {
        return parent.own().resolve(name);
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
