package dev.ash.cli.hooks;

import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonWriter;
import picocli.CommandLine.Command;

/** Implements {@code ash hooks uninstall}. */
@Command(name = "uninstall", description = "Remove the hooks of Ash from Claude Code's settings.")
final class HooksUninstallCommand extends HooksCommand {
    HooksUninstallCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var changes = load();
        changes.removeAshHooks();
        boolean changed = save(changes);
        if (settings == null) {
            program().delete(); // with --settings, other files may still use it
        }
        return print(
                JsonWriter.object()
                        .put("settings", file().toString())
                        .put("changed", changed)
                        .end(),
                changed
                        ? "Removed from %s.".formatted(file())
                        : "No hooks of Ash are installed in %s.".formatted(file()));
    }
}
