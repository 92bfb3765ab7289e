package dev.ash.cli.hooks;

import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
import dev.ash.cli.command.Failure;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.UserConfig;
import dev.ash.protocol.json.JsonWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "install",
        description = "Let Claude Code in your own terminals tell Ash what it does, and ask there.",
        footer = {
            "Prompts of the terminal can then be answered from elsewhere, as approvals; the",
            "terminal still asks as well, and the first answer counts. Takes effect in",
            "sessions that are started afterwards. docs/hooks.md has the whole story."
        })
final class HooksInstallCommand extends HooksCommand {
    /** What a person takes to look at a phone; a server does not wait longer by default. */
    private static final int WAIT_SECONDS = 300;

    /** The program gives up before Claude Code ends it, and the server before the program. */
    private static final int MARGIN_SECONDS = 10;

    private static final int REPORT_SECONDS = 10;

    private static final List<String> REPORTED =
            List.of(
                    "SessionStart",
                    "SessionEnd",
                    "UserPromptSubmit",
                    "PreToolUse",
                    "PostToolUse",
                    "PostToolUseFailure",
                    "Notification",
                    "Stop",
                    "StopFailure",
                    "SubagentStart",
                    "SubagentStop",
                    "PreCompact",
                    "PostCompact");

    @Option(
            names = "--ask",
            paramLabel = "TOOLS",
            description = {
                "Ask before these tools run, whatever the terminal's own rules allow:",
                "a matcher of Claude Code, as in 'Bash|Write'. Works without a terminal too."
            })
    @Nullable String ask;

    HooksInstallCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var settings = load();
        var program = program();
        program.write(connection().url(), certificate(), token(), WAIT_SECONDS + MARGIN_SECONDS);
        var wanted = entries(program);
        if (!settings.installed().equals(wanted)) {
            settings.removeOurs();
            wanted.forEach(settings::add);
        }
        boolean changed = save(settings);
        if (settings.hooksAreDisabled()) {
            note("These settings say disableAllHooks: Claude Code will run none of them.");
        }
        return print(
                JsonWriter.object()
                        .put("settings", file().toString())
                        .put("program", program.script().toString())
                        .put("server", connection().url())
                        .put("changed", changed)
                        .end(),
                changed
                        ? "Installed in %s for the server at %s."
                                .formatted(file(), connection().url())
                        : "Was installed in %s already; nothing changed.".formatted(file()));
    }

    private Set<HookSettings.Entry> entries(HookProgram program) {
        var entries = new LinkedHashSet<HookSettings.Entry>();
        int longest = WAIT_SECONDS + 2 * MARGIN_SECONDS;
        entries.add(
                new HookSettings.Entry(
                        "PermissionRequest", null, program.command("answer"), longest));
        if (ask != null) {
            entries.add(new HookSettings.Entry("PreToolUse", ask, program.command("ask"), longest));
        }
        for (var event : REPORTED) {
            entries.add(new HookSettings.Entry(event, null, program.command(""), REPORT_SECONDS));
        }
        return entries;
    }

    /** The server writes it again when it changes, so hooks follow. */
    private Optional<Path> certificate() {
        var file = DataDirectory.lastUsed(host, UserConfig.load(host)).certificate();
        var url = connection().url();
        return Connection.isTls(url) && Connection.isLoopback(url) && Files.isReadable(file)
                ? Optional.of(file)
                : Optional.empty();
    }

    private String token() {
        var told = host.variable("ASH_HOOK_TOKEN", "");
        if (!told.isEmpty()) {
            return checked(told);
        }
        var file = DataDirectory.lastUsed(host, UserConfig.load(host)).path().resolve("hook-token");
        try {
            // As with keys: what lies on this machine is for a server on this machine.
            var token =
                    Connection.isLoopback(connection().url()) ? Files.readString(file).strip() : "";
            if (!token.isEmpty()) {
                return checked(token);
            }
        } catch (IOException e) {
            // told below
        }
        throw new Failure(
                "There is no hook token for %s: %s cannot be read. Start the server first (ash start), or set ASH_HOOK_TOKEN to what its hook-token file holds."
                        .formatted(connection().url(), file));
    }

    private static String checked(String token) {
        if (!token.matches("[!#-\\[\\]-~]+")) {
            throw new Failure(
                    "The hook token has characters that a header cannot carry; use letters and digits.");
        }
        return token;
    }
}
