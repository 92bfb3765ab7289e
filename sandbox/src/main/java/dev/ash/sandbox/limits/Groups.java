package dev.ash.sandbox.limits;

import dev.ash.protocol.rest.ResourceLimits;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The control groups of all sandboxes of a data directory: one parent in each hierarchy, below the
 * server's own group. Which limits hold is found out by trying, not by looking.
 */
public final class Groups implements AutoCloseable {
    private static final String LEAF = "ash-server";
    private static final String TRIAL = "trial";

    /** Starts a process that enters the group by these doors and ends; false if it could not. */
    public interface Trial {
        boolean enter(List<Path> doors) throws IOException;
    }

    private final List<Hierarchy> parents = new ArrayList<>();
    private final Map<Limit, String> refusals = new EnumMap<>(Limit.class);

    private Groups() {}

    /**
     * Tries each hierarchy that the process is in; {@code self} is its folder below {@code /proc}.
     * The name is that of the parents, and no other data directory's.
     */
    public static Groups open(Path self, String name, Trial trial) {
        var groups = new Groups();
        for (var limit : List.of(Limit.MEMORY, Limit.PIDS, Limit.CPU)) {
            groups.refusals.put(limit, "the host offers no control group for it");
        }
        for (var hierarchy : Hierarchies.find(self)) {
            groups.add(hierarchy, name, trial);
        }
        return groups;
    }

    private void add(Hierarchy hierarchy, String name, Trial trial) {
        try {
            var parent = parent(hierarchy, name);
            var group = new Group(TRIAL, List.of(parent));
            try {
                group.make(Bounds.of(ResourceLimits.DEFAULT));
                if (!trial.enter(group.doors())) {
                    throw new IOException("a process could not enter " + group.doors());
                }
            } finally {
                group.end();
            }
            parents.add(parent);
            parent.limits().forEach(refusals::remove);
        } catch (IOException e) {
            hierarchy.limits().forEach(limit -> refusals.put(limit, reason(e)));
        }
    }

    private static Hierarchy parent(Hierarchy hierarchy, String name) throws IOException {
        var base = hierarchy.own();
        if (hierarchy.version() == Version.V2) {
            base = base.endsWith(LEAF) ? base.resolve("..").normalize() : base;
            share(base, hierarchy.limits());
        }
        var folder = base.resolve(name);
        if (Files.notExists(folder)) {
            Files.createDirectory(folder);
        }
        if (hierarchy.version() == Version.V2) {
            order(folder, hierarchy.limits());
        }
        return new Hierarchy(hierarchy.version(), folder, hierarchy.limits());
    }

    /** In version 2 a group has either processes or groups with limits: so the server moves out. */
    private static void share(Path base, Set<Limit> limits) throws IOException {
        try {
            order(base, limits);
        } catch (FileSystemException e) {
            throw e; // there is no such file, or it is not ours to write
        } catch (IOException e) {
            var leaf = base.resolve(LEAF);
            if (Files.notExists(leaf)) {
                Files.createDirectory(leaf);
            }
            var self = Long.toString(ProcessHandle.current().pid());
            GroupFiles.write(leaf.resolve(GroupFiles.MEMBERS), self);
            order(base, limits);
        }
    }

    private static void order(Path group, Set<Limit> limits) throws IOException {
        var words = limits.stream().map(limit -> "+" + limit.label()).sorted();
        GroupFiles.write(
                group.resolve("cgroup.subtree_control"), words.collect(Collectors.joining(" ")));
    }

    private static String reason(IOException e) {
        return e instanceof AccessDeniedException denied
                ? "the server may not make control groups in "
                        + Path.of(denied.getFile()).getParent()
                : String.valueOf(e.getMessage());
    }

    /** The group of a sandbox, made or not. */
    public Group of(String sandbox) {
        return new Group(sandbox, parents);
    }

    public Set<Limit> enforced() {
        var limits = EnumSet.noneOf(Limit.class);
        parents.forEach(parent -> limits.addAll(parent.limits()));
        return limits;
    }

    /** A sentence for each limit that does not hold here. */
    public List<String> missing() {
        return refusals.entrySet().stream()
                .map(each -> each.getKey().label() + " is not limited: " + each.getValue())
                .toList();
    }

    /** The names of all groups that there are, whoever made them. */
    public Set<String> existing() {
        var names = new TreeSet<String>();
        for (var parent : parents) {
            try (DirectoryStream<Path> folders =
                    Files.newDirectoryStream(parent.own(), Files::isDirectory)) {
                folders.forEach(folder -> names.add(folder.getFileName().toString()));
            } catch (IOException e) {
                // Another server that shares the data directory has just removed it.
            }
        }
        return names;
    }

    /** Removes the parents, unless there are groups in them. */
    @Override
    public void close() {
        for (var parent : parents) {
            try {
                Files.deleteIfExists(parent.own());
            } catch (IOException e) {
                // Some sandbox is still there, or another server has begun to use it.
            }
        }
    }
}
