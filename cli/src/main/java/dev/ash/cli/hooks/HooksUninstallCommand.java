package dev.ash.cli.hooks;

import dev.ash.cli.command.Host;
import dev.ash.protocol.json.JsonWriter;
import picocli.CommandLine.Command;

@Command(
        name = "uninstall",
        description = "Remove Ash's hooks from Claude Code's settings, and nothing else.")
final class HooksUninstallCommand extends HooksCommand {
    HooksUninstallCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var changes = load();
        changes.removeOurs();
        boolean changed = save(changes);
        if (settings == null) {
            program().delete(); // other files may still name it otherwise
        }
        return print(
                JsonWriter.object()
                        .put("settings", file().toString())
                        .put("changed", changed)
                        .end(),
                changed
                        ? "Removed from %s.".formatted(file())
                        : "There were no hooks of Ash in %s.".formatted(file()));
    }
}
