package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.launch.SandboxProcess;
import java.util.HashSet;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Counts and kills processes of sandboxes that this server does not run. No other server uses its
 * data directory, so other members of that directory's control groups were left by a killed server.
 * Without control groups, processes are identified by a variable that every process of a sandbox
 * inherits.
 */
final class OrphanProcesses {
    private final LaunchContext context;
    private final LaunchSlots slots;
    private final Predicate<String> isCommand;

    /** {@code isCommand} matches the control groups of commands that this server runs. */
    OrphanProcesses(LaunchContext context, LaunchSlots slots, Predicate<String> isCommand) {
        this.context = context;
        this.slots = slots;
        this.isCommand = isCommand;
    }

    /** Returns the number of orphans; cheap with control groups, as it reads two directories. */
    int count() {
        if (context.groups().enforced().isEmpty()) {
            var ids = new HashSet<String>();
            for (var id : context.layout().existing()) {
                if (slots.find(id).isEmpty()) {
                    ids.add(id.value());
                }
            }
            return ids.isEmpty() ? 0 : SandboxProcess.count(LaunchContext.MARK, ids);
        }
        int count = 0;
        for (var name : context.groups().existing()) {
            if (isOrphan(name)) {
                count += context.groups().of(name).members().size();
            }
        }
        return count;
    }

    void kill() {
        for (var name : context.groups().existing()) {
            if (isOrphan(name)) {
                context.groups().of(name).destroy();
            }
        }
    }

    private boolean isOrphan(String group) {
        return id(group).flatMap(slots::find).isEmpty() && !isCommand.test(group);
    }

    private static Optional<SandboxId> id(String group) {
        try {
            return Optional.of(new SandboxId(group));
        } catch (ApiException e) {
            return Optional.empty();
        }
    }
}
