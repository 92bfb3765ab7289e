package dev.ash.cli.hooks;

import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.command.IoReason;
import dev.ash.cli.terminal.Table;
import dev.ash.protocol.json.JsonWriter;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;

/** Implements {@code ash hooks status}. */
@Command(
        name = "status",
        description = "Show whether the hooks are installed and the server accepts them.",
        footer = "Exits with 1 if they are not installed, with 3 if the server does not respond.")
final class HooksStatusCommand extends HooksCommand {
    private static final Pattern URL = Pattern.compile("(?m)^url = \"([^\"]*)\"$");
    private static final Pattern TOKEN =
            Pattern.compile("(?m)^header = \"Authorization: ([^\"]*)\"$");
    private static final int TIMEOUT_MILLIS = 5000;

    HooksStatusCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var found = load();
        var events = found.installed().stream().map(HookSettings.Entry::event).distinct().toList();
        boolean installed = !events.isEmpty() && program().isInstalled();
        var server = installed ? server() : "";
        var table =
                new Table()
                        .row("settings", file())
                        .row(
                                "hooks",
                                events.isEmpty() ? "not installed" : String.join(", ", events));
        if (!events.isEmpty() && !installed) {
            table.row("program", program().script() + " is missing: run ash hooks install");
        }
        if (found.hooksAreDisabled()) {
            table.row("disabled", "disableAllHooks is set: Claude Code does not run them");
        }
        if (installed) {
            table.row("server", server);
        }
        print(
                JsonWriter.object()
                        .put("settings", file().toString())
                        .put("installed", installed)
                        .put("events", events)
                        .put("disabled", found.hooksAreDisabled())
                        .put("server", server.isEmpty() ? null : server)
                        .end(),
                table.toString());
        if (!installed) {
            return ExitCode.FAILED;
        }
        return server.endsWith(" answers") ? ExitCode.OK : ExitCode.UNREACHABLE;
    }

    /** Sends an invalid event: a server that accepts the token responds with 400. */
    private String server() {
        try {
            var conf = Files.readString(program().settings());
            var url = URL.matcher(conf);
            var token = TOKEN.matcher(conf);
            if (!url.find() || !token.find()) {
                return program().settings() + " is damaged: run ash hooks install";
            }
            var address = url.group(1);
            var connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            connection.setDoOutput(true);
            connection.setRequestProperty("Authorization", token.group(1));
            connection.setRequestProperty("Content-Type", "application/json");
            connection.getOutputStream().write("{}".getBytes(StandardCharsets.UTF_8));
            int status = connection.getResponseCode();
            return switch (status) {
                case 400 -> address + " answers";
                case 401 -> address + " rejects the token: run ash hooks install";
                default -> address + " responds with status " + status;
            };
        } catch (IOException e) {
            return "does not respond (%s); only the terminals ask".formatted(IoReason.of(e));
        }
    }
}
