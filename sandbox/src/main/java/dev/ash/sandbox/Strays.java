package dev.ash.sandbox;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.sandbox.launch.SandboxProcess;
import java.util.HashSet;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Processes of sandboxes that this server does not run. Nobody else has its data directory, so what
 * is in the control groups of that belongs to a server that was killed. Where there are no groups,
 * the variable tells that each process of a sandbox inherits.
 */
final class Strays {
    private final LaunchSite site;
    private final LaunchSlots slots;
    private final Predicate<String> isCommand;

    /** {@code isCommand} tells the groups of commands that this server runs. */
    Strays(LaunchSite site, LaunchSlots slots, Predicate<String> isCommand) {
        this.site = site;
        this.slots = slots;
        this.isCommand = isCommand;
    }

    /** Cheap where there are groups: a look into two folders. */
    int count() {
        if (site.groups().enforced().isEmpty()) {
            var marks = new HashSet<String>();
            for (var id : site.layout().existing()) {
                if (slots.find(id).isEmpty()) {
                    marks.add(id.value());
                }
            }
            return marks.isEmpty() ? 0 : SandboxProcess.count(LaunchSite.MARK, marks);
        }
        int count = 0;
        for (var name : site.groups().existing()) {
            if (isStray(name)) {
                count += site.groups().of(name).members().size();
            }
        }
        return count;
    }

    void end() {
        for (var name : site.groups().existing()) {
            if (isStray(name)) {
                site.groups().of(name).end();
            }
        }
    }

    private boolean isStray(String group) {
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
