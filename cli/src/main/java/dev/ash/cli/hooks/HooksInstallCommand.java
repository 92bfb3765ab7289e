package dev.ash.cli.hooks;

import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.DataDirectory;
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

/** Implements {@code ash hooks install}. */
@Command(
        name = "install",
        description =
                "Install hooks, so that Claude Code in your terminals reports to Ash and asks there.",
        footer = {
            "Permission prompts of the terminal become approvals of Ash; the terminal still",
            "asks as well, and the first answer counts. Takes effect for sessions that are",
            "started afterwards. See docs/hooks.md."
        })
final class HooksInstallCommand extends HooksCommand {
    /** Maximum time for an answer; equal to the server's default. */
    private static final int WAIT_SECONDS = 300;

    /** The script times out before Claude Code kills it, and the server before the script. */
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
                "Ask before these tools run, regardless of the terminal's permission rules:",
                "a matcher of Claude Code such as 'Bash|Write'. Also works without a terminal."
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
            settings.removeAshHooks();
            wanted.forEach(settings::add);
        }
        boolean changed = save(settings);
        if (settings.hooksAreDisabled()) {
            note("disableAllHooks is set in these settings: Claude Code will not run the hooks.");
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
                        : "Already installed in %s; nothing changed.".formatted(file()));
    }

    private Set<HookSettings.Entry> entries(HookProgram program) {
        var entries = new LinkedHashSet<HookSettings.Entry>();
        int timeout = WAIT_SECONDS + 2 * MARGIN_SECONDS;
        entries.add(
                new HookSettings.Entry(
                        "PermissionRequest", null, program.command("answer"), timeout));
        if (ask != null) {
            entries.add(new HookSettings.Entry("PreToolUse", ask, program.command("ask"), timeout));
        }
        for (var event : REPORTED) {
            entries.add(new HookSettings.Entry(event, null, program.command(""), REPORT_SECONDS));
        }
        return entries;
    }

    /** Returns the server's certificate file, which the server updates on changes. */
    private Optional<Path> certificate() {
        var file = DataDirectory.lastUsed(host, UserConfig.load(host)).certificate();
        var url = connection().url();
        return Connection.isTls(url) && Connection.isLoopback(url) && Files.isReadable(file)
                ? Optional.of(file)
                : Optional.empty();
    }

    private String token() {
        var variable = host.variable("ASH_HOOK_TOKEN", "");
        if (!variable.isEmpty()) {
            return check(variable);
        }
        var file = DataDirectory.lastUsed(host, UserConfig.load(host)).path().resolve("hook-token");
        try {
            // Like API keys: a token in a local file is only for a local server.
            var token =
                    Connection.isLoopback(connection().url()) ? Files.readString(file).strip() : "";
            if (!token.isEmpty()) {
                return check(token);
            }
        } catch (IOException e) {
            // reported below
        }
        throw new CommandException(
                "No hook token for %s: cannot read %s. Start the server first (ash start), or set ASH_HOOK_TOKEN to the content of its hook-token file."
                        .formatted(connection().url(), file));
    }

    private static String check(String token) {
        if (!token.matches("[!#-\\[\\]-~]+")) {
            throw new CommandException(
                    "The hook token contains characters that are invalid in a header; use letters and digits.");
        }
        return token;
    }
}
