package dev.ash.cli.device;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.CommandException;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Host;
import dev.ash.cli.terminal.Printable;
import dev.ash.cli.terminal.Table;
import dev.ash.cli.terminal.Window;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.rest.DeviceApi;
import dev.ash.sdk.AshException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Implements {@code ash devices pair}. */
@Command(
        name = "pair",
        description =
                "Show a one-time code for pairing a phone or browser, and wait for the device.",
        footer =
                "With --json, prints the text of the code, for scripts and devices without a camera; with"
                        + " --json --wait, a second line contains the paired device.")
final class DevicePairCommand extends AshCommand {
    private static final int FINGERPRINT_LINE = 47; // 16 pairs of digits

    @Option(names = "--name", paramLabel = "NAME", description = "Name shown in lists.")
    @Nullable String name;

    @Option(
            names = "--scope",
            split = ",",
            paramLabel = "SCOPE",
            description =
                    "watch, approve or steer; repeatable. approve and steer include watch. Default: all.")
    @Nullable List<String> scopes;

    @Option(
            names = "--expires-in-days",
            paramLabel = "DAYS",
            description = "Days until the device must be paired again. Default: never.")
    @Nullable Integer expiresInDays;

    @Option(
            names = "--wait",
            negatable = true,
            description =
                    "Wait until the device has paired, and print its name. Default without --json. Ctrl-C stops waiting.")
    @Nullable Boolean wait;

    DevicePairCommand(Host host) {
        super(host);
    }

    @Override
    public Integer call() {
        var request = new DeviceApi.PairDevice(name, scopes, expiresInDays, null);
        var pairing = client().devices().pairDevice(request);
        boolean isLimited = scopes != null || expiresInDays != null;
        if (isLimited && pairing.scopes() == null) {
            revokeUnused(pairing);
            throw new CommandException(
                    "This server version does not support scopes and expiry of devices: the device would have all scopes and never expire. Update the server, or pair without --scope and --expires-in-days.");
        }
        if (json) {
            var document =
                    payload(pairing)
                            .put("deviceId", pairing.deviceId())
                            .put("expiresAt", pairing.expiresAt())
                            .put("reachable", pairing.reachable())
                            .put("tokenExpiresAt", pairing.tokenExpiresAt());
            if (pairing.scopes() != null) {
                document.put("scopes", pairing.scopes());
            }
            print(document.end(), "");
            return Boolean.TRUE.equals(wait) ? awaitDevice(pairing) : ExitCode.OK;
        }
        if (!pairing.reachable()) {
            revokeUnused(pairing);
            throw new CommandException(
                    "Devices cannot pair: the gateway at %s is reachable only from this machine. Expose it with `ash gateway expose 0.0.0.0` or with the address of a VPN; for a tunnel or proxy, start the server with ASH_GATEWAY_URL set to its address. Then pair again."
                            .formatted(pairing.url()));
        }
        host.out().println(code(pairing) + "\n\n" + details(pairing));
        return Boolean.FALSE.equals(wait) ? ExitCode.OK : awaitDevice(pairing);
    }

    private int awaitDevice(DeviceApi.Pairing pairing) {
        if (!json) {
            host.out()
                    .println(
                            "\nWaiting for the device. Ctrl-C stops waiting; the code remains valid.");
        }
        host.out().flush();
        var device = new PairingWait(client().devices()).await(pairing.deviceId());
        return print(device, "Paired: " + Printable.line(PairingWait.name(device)));
    }

    /** Revokes a pairing whose token was not shown. */
    private void revokeUnused(DeviceApi.Pairing pairing) {
        try {
            client().devices().revoke(pairing.deviceId());
        } catch (AshException e) {
            // The original failure is more important, and the token expires automatically.
        }
    }

    private String code(DeviceApi.Pairing pairing) {
        var text = payload(pairing).end().toString();
        var window = Window.of(host);
        var picture = QrPicture.of(text, window);
        if (picture.isEmpty()) {
            return "The window is too narrow for the code (%d columns). Widen it and pair again, or enter the text of the code on the device:\n\n%s"
                    .formatted(window.columns(), text);
        }
        if (picture.get().rows() > window.rows()) {
            note(
                    "The code has %d lines, but the window has %d: enlarge it to see the whole code."
                            .formatted(picture.get().rows(), window.rows()));
        }
        var blocks = host.terminals().out() ? picture.get().colored() : picture.get().plain();
        return blocks + "\n\nScan this code with the device.";
    }

    /** Returns the content of the code; apps rely on the names {@code url} and {@code token}. */
    private static JsonWriter payload(DeviceApi.Pairing pairing) {
        return JsonWriter.object()
                .put("url", pairing.url())
                .put("token", pairing.token())
                .put("fingerprint", pairing.fingerprint());
    }

    private static String details(DeviceApi.Pairing pairing) {
        var pairs = pairing.fingerprint().toUpperCase(Locale.ROOT).replaceAll("(..)(?!$)", "$1 ");
        var table = new Table().row("gateway", pairing.url());
        for (int from = 0; from < pairs.length(); from += FINGERPRINT_LINE + 1) {
            var part = pairs.substring(from, Math.min(from + FINGERPRINT_LINE, pairs.length()));
            table.row(from == 0 ? "fingerprint" : "", part);
        }
        table.row("expires", pairing.expiresAt());
        if (pairing.scopes() != null) {
            table.row("scopes", String.join(", ", pairing.scopes()));
        }
        if (pairing.tokenExpiresAt() != null) {
            table.row("device until", pairing.tokenExpiresAt());
        }
        return table
                + "\n\nThe code can be used once, until it expires. The fingerprint is the SHA-256\nof the gateway's certificate. `ash devices list` lists paired devices.";
    }
}
