package dev.ash.sandbox.limits;

import dev.ash.sandbox.limits.Version.Need;
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
import org.jspecify.annotations.Nullable;

/**
 * The control group of one sandbox: a folder in each hierarchy, in none where the host offers none.
 * Its processes cannot leave it, so an empty group proves that nothing of the sandbox runs.
 */
public final class Group {
    private static final Logger LOG = System.getLogger(Group.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** No group, as on hosts that offer none. */
    public static final Group NONE = new Group("none", List.of());

    private final String name;
    private final List<Hierarchy> parents;
    private volatile @Nullable Pressure last;

    /** The hierarchies are those of the parents. */
    Group(String name, List<Hierarchy> parents) {
        this.name = name;
        this.parents = List.copyOf(parents);
    }

    /** The group that another server has {@linkplain #lines noted}. */
    public static Group noted(String name, List<String> lines) {
        return new Group(name, lines.stream().map(Hierarchy::parse).toList());
    }

    /** Where it is, to be noted. */
    public List<String> lines() {
        return parents.stream().map(Hierarchy::line).toList();
    }

    /** Whether there is one, so that it can prove anything. */
    public boolean exists() {
        return !parents.isEmpty();
    }

    /** Makes it anew and sets the limits, each of which is read back. */
    public void make(Bounds bounds) throws IOException {
        end();
        last = null;
        for (var parent : parents) {
            var folder = Files.createDirectory(folder(parent));
            for (var limit : parent.limits()) {
                for (var setting : parent.version().settings(limit, bounds)) {
                    var file = folder.resolve(setting.file());
                    if (setting.need() == Need.ALWAYS || Files.exists(file)) {
                        GroupFiles.write(file, setting.value());
                    }
                }
            }
        }
        verify(bounds);
    }

    /** The files into which a process writes its number to be in the group. */
    public List<Path> doors() {
        return parents.stream().map(parent -> folder(parent).resolve(GroupFiles.MEMBERS)).toList();
    }

    /** That the kernel has understood each limit as it was meant, and counts this process. */
    public void verify(Bounds bounds, long member) throws IOException {
        verify(bounds);
        for (var parent : parents) {
            if (!GroupFiles.members(folder(parent)).contains(member)) {
                throw new IOException(
                        "process %d is not in its control group %s"
                                .formatted(member, folder(parent)));
            }
        }
    }

    private void verify(Bounds bounds) throws IOException {
        for (var parent : parents) {
            for (var limit : parent.limits()) {
                for (var setting : parent.version().settings(limit, bounds)) {
                    var file = folder(parent).resolve(setting.file());
                    if (setting.need() == Need.IF_THERE && Files.notExists(file)) {
                        continue;
                    }
                    var seen = GroupFiles.read(file);
                    if (!seen.equals(setting.value())) {
                        throw new IOException(
                                "%s was set to %s and is %s"
                                        .formatted(file, setting.value(), seen));
                    }
                }
            }
        }
    }

    /** Everything in it, as the host numbers processes. */
    public Set<Long> members() {
        var members = new TreeSet<Long>();
        for (var parent : parents) {
            try {
                members.addAll(GroupFiles.members(folder(parent)));
            } catch (IOException e) {
                if (Files.exists(folder(parent))) { // and not just removed
                    LOG.log(Level.WARNING, "Control group {0}: {1}", folder(parent), e);
                }
            }
        }
        return members;
    }

    /** How often it was held back so far; in the end, altogether. */
    public Pressure pressure() {
        var known = last;
        return known == null ? count() : known;
    }

    private Pressure count() {
        var pressure = Pressure.NONE;
        for (var parent : parents) {
            var folder = folder(parent);
            pressure =
                    pressure.plus(
                            new Pressure(
                                    GroupFiles.count(folder, parent.version().oomKills()),
                                    GroupFiles.count(folder, Version.refusedForks())));
        }
        return pressure;
    }

    /** Tells everything in it to end at once. */
    public void kill() {
        sum();
        kill(members());
    }

    /** Before we kill and hold back ourselves, which is counted like the rest. */
    private synchronized void sum() {
        if (last == null) {
            last = count();
        }
    }

    /** Kills what is in it, until nothing is, and removes it. Any number of times. */
    public void end() {
        sum();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (var members = members(); !members.isEmpty(); members = members()) {
            if (System.nanoTime() > deadline) {
                LOG.log(Level.ERROR, "Processes of control group {0} remain: {1}", name, members);
                return;
            }
            kill(members);
            pause();
        }
        for (var parent : parents) {
            remove(folder(parent), deadline);
        }
    }

    private void kill(Iterable<Long> members) {
        for (var parent : parents) {
            order(folder(parent).resolve("pids.max"), "0"); // one that forks faster than we kill
            order(folder(parent).resolve("cpu.cfs_quota_us"), "-1"); // dying takes time as well
            order(folder(parent).resolve("cpu.max"), "max");
            order(folder(parent).resolve("cgroup.kill"), "1");
        }
        for (long member : members) {
            ProcessHandle.of(member).ifPresent(ProcessHandle::destroyForcibly);
        }
    }

    private static void order(Path file, String value) {
        try {
            if (Files.exists(file)) {
                GroupFiles.write(file, value);
            }
        } catch (IOException e) {
            // The group is gone, or the signals have to do.
        }
    }

    /** The kernel may need a moment after the last process before it lets go of a group. */
    private static void remove(Path folder, long deadline) {
        while (true) {
            try {
                Files.delete(folder);
                return;
            } catch (NoSuchFileException e) {
                return;
            } catch (IOException e) {
                if (e instanceof DirectoryNotEmptyException || System.nanoTime() > deadline) {
                    LOG.log(Level.WARNING, "Control group {0} remains: {1}", folder, e);
                    return;
                }
                pause();
            }
        }
    }

    private Path folder(Hierarchy parent) {
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
