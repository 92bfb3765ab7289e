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
 * Manages the control groups of the sandboxes of a data directory: one parent in each hierarchy,
 * below the server's own group. Determines the enforceable limits by creating and joining a group.
 */
public final class ControlGroups implements AutoCloseable {
    private static final String LEAF = "ash-server";
    private static final String PROBE = "trial";

    /** Starts a process that joins a group and exits; returns false if it could not join. */
    public interface JoinProbe {
        boolean join(List<Path> procsFiles) throws IOException;
    }

    private final List<Hierarchy> parents = new ArrayList<>();
    private final Map<Limit, String> refusals = new EnumMap<>(Limit.class);

    private ControlGroups() {}

    /**
     * Probes each hierarchy that the server is in.
     *
     * @param self the server's directory below {@code /proc}
     * @param name name of the parent groups, unique to the data directory
     */
    public static ControlGroups open(Path self, String name, JoinProbe probe) {
        var groups = new ControlGroups();
        for (var limit : List.of(Limit.MEMORY, Limit.PIDS, Limit.CPU)) {
            groups.refusals.put(limit, "the host has no control group for it");
        }
        for (var hierarchy : Hierarchies.find(self)) {
            groups.add(hierarchy, name, probe);
        }
        return groups;
    }

    private void add(Hierarchy hierarchy, String name, JoinProbe probe) {
        try {
            var parent = parent(hierarchy, name);
            var group = new ControlGroup(PROBE, List.of(parent));
            try {
                group.create(ResolvedLimits.of(ResourceLimits.DEFAULT));
                if (!probe.join(group.procsFiles())) {
                    throw new IOException("a process could not join " + group.procsFiles());
                }
            } finally {
                group.destroy();
            }
            parents.add(parent);
            parent.limits().forEach(refusals::remove);
        } catch (IOException e) {
            hierarchy.limits().forEach(limit -> refusals.put(limit, reason(e)));
        }
    }

    private static Hierarchy parent(Hierarchy hierarchy, String name) throws IOException {
        var base = hierarchy.own();
        if (hierarchy.version() == ControlGroupVersion.V2) {
            base = base.endsWith(LEAF) ? base.resolve("..").normalize() : base;
            enableControllers(base, hierarchy.limits());
        }
        var directory = base.resolve(name);
        if (Files.notExists(directory)) {
            Files.createDirectory(directory);
        }
        if (hierarchy.version() == ControlGroupVersion.V2) {
            writeSubtreeControl(directory, hierarchy.limits());
        }
        return new Hierarchy(hierarchy.version(), directory, hierarchy.limits());
    }

    /**
     * Enables controllers for child groups. In version 2 a group has either processes or child
     * groups with limits, so the server moves itself into a leaf group if necessary.
     */
    private static void enableControllers(Path base, Set<Limit> limits) throws IOException {
        try {
            writeSubtreeControl(base, limits);
        } catch (FileSystemException e) {
            throw e; // missing, or not writable
        } catch (IOException e) {
            var leaf = base.resolve(LEAF);
            if (Files.notExists(leaf)) {
                Files.createDirectory(leaf);
            }
            var self = Long.toString(ProcessHandle.current().pid());
            ControlGroupFiles.write(leaf.resolve(ControlGroupFiles.PROCS), self);
            writeSubtreeControl(base, limits);
        }
    }

    private static void writeSubtreeControl(Path group, Set<Limit> limits) throws IOException {
        var names = limits.stream().map(limit -> "+" + limit.label()).sorted();
        ControlGroupFiles.write(
                group.resolve("cgroup.subtree_control"), names.collect(Collectors.joining(" ")));
    }

    private static String reason(IOException e) {
        return e instanceof AccessDeniedException denied
                ? "the server is not permitted to create control groups in "
                        + Path.of(denied.getFile()).getParent()
                : String.valueOf(e.getMessage());
    }

    /** Returns the group of a sandbox, whether or not it has been created. */
    public ControlGroup of(String sandbox) {
        return new ControlGroup(sandbox, parents);
    }

    public Set<Limit> enforced() {
        var limits = EnumSet.noneOf(Limit.class);
        parents.forEach(parent -> limits.addAll(parent.limits()));
        return limits;
    }

    /** Returns a message for each limit that is not enforced. */
    public List<String> missing() {
        return refusals.entrySet().stream()
                .map(each -> each.getKey().label() + " is not limited: " + each.getValue())
                .toList();
    }

    /** Returns the names of all existing groups, including those of earlier servers. */
    public Set<String> existing() {
        var names = new TreeSet<String>();
        for (var parent : parents) {
            try (DirectoryStream<Path> directories =
                    Files.newDirectoryStream(parent.own(), Files::isDirectory)) {
                directories.forEach(directory -> names.add(directory.getFileName().toString()));
            } catch (IOException e) {
                // Removed concurrently by another server on the same data directory.
            }
        }
        return names;
    }

    /** Removes the parents, unless they contain groups. */
    @Override
    public void close() {
        for (var parent : parents) {
            try {
                Files.deleteIfExists(parent.own());
            } catch (IOException e) {
                // A sandbox is left, or another server uses it.
            }
        }
    }
}
