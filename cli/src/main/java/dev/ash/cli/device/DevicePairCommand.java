package dev.ash.cli.device;

import dev.ash.cli.command.AshCommand;
import dev.ash.cli.command.ExitCode;
import dev.ash.cli.command.Failure;
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

@Command(
        name = "pair",
        description = "Show a code that lets a phone or browser in, once, and wait for it.",
        footer =
                "With --json the code's text, for devices without a camera and for scripts; with"
                        + " --json --wait a second line has the device that paired.")
final class DevicePairCommand extends AshCommand {
    private static final int LINE = 47; // 16 pairs

    @Option(names = "--name", paramLabel = "NAME", description = "To tell it from others.")
    @Nullable String name;

    @Option(
            names = "--scope",
            split = ",",
            paramLabel = "SCOPE",
            description =
                    "What it may do: watch, approve, steer; approve and steer include watch. Without it, all.")
    @Nullable List<String> scopes;

    @Option(
            names = "--expires-in-days",
            paramLabel = "DAYS",
            description = "After how many days it has to be paired again. Without it, never.")
    @Nullable Integer expiresInDays;

    @Option(
            names = "--wait",
            negatable = true,
            description =
                    "Wait until the device has paired, and print its name; the default without --json. Ctrl-C stops waiting.")
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
            withdraw(pairing);
            throw new Failure(
                    "This server is older than scopes and expiry of devices: it would let the device do everything, forever. Update it, or pair without --scope and --expires-in-days.");
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
            return Boolean.TRUE.equals(wait) ? awaited(pairing) : ExitCode.OK;
        }
        if (!pairing.reachable()) {
            withdraw(pairing);
            throw new Failure(
                    "No device can pair: only this machine can reach the gateway at %s. Let others in with `ash gateway expose 0.0.0.0`, or with the address of a VPN instead; for a tunnel or proxy, start the server with ASH_GATEWAY_URL set to its address. Then pair again."
                            .formatted(pairing.url()));
        }
        host.out().println(code(pairing) + "\n\n" + details(pairing));
        return Boolean.FALSE.equals(wait) ? ExitCode.OK : awaited(pairing);
    }

    private int awaited(DeviceApi.Pairing pairing) {
        if (!json) {
            host.out()
                    .println(
                            "\nWaiting for the device. Ctrl-C stops waiting; the code stays valid.");
        }
        host.out().flush();
        var device = new PairingWait(client().devices()).await(pairing.deviceId());
        return print(device, "Paired: " + Printable.line(PairingWait.name(device)));
    }

    /** Nobody has seen its token. */
    private void withdraw(DeviceApi.Pairing pairing) {
        try {
            client().devices().revoke(pairing.deviceId());
        } catch (AshException e) {
            // What is to be said matters more, and the token ends by itself.
        }
    }

    private String code(DeviceApi.Pairing pairing) {
        var text = payload(pairing).end().toString();
        var window = Window.of(host);
        var picture = QrPicture.of(text, window);
        if (picture.isEmpty()) {
            return "This window is too narrow for the code (%d columns). Make it wider and pair again, or give the device the code's text:\n\n%s"
                    .formatted(window.columns(), text);
        }
        if (picture.get().rows() > window.rows()) {
            note(
                    "The code has %d lines and this window %d: make it higher to see all of it."
                            .formatted(picture.get().rows(), window.rows()));
        }
        var blocks = host.terminals().out() ? picture.get().coloured() : picture.get().plain();
        return blocks + "\n\nScan this code with the device.";
    }

    /** What a device reads; {@code url} and {@code token} are the names that all apps know. */
    private static JsonWriter payload(DeviceApi.Pairing pairing) {
        return JsonWriter.object()
                .put("url", pairing.url())
                .put("token", pairing.token())
                .put("fingerprint", pairing.fingerprint());
    }

    private static String details(DeviceApi.Pairing pairing) {
        var pairs = pairing.fingerprint().toUpperCase(Locale.ROOT).replaceAll("(..)(?!$)", "$1 ");
        var table = new Table().row("gateway", pairing.url());
        for (int from = 0; from < pairs.length(); from += LINE + 1) {
            var part = pairs.substring(from, Math.min(from + LINE, pairs.length()));
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
                + "\n\nThe code works once, and not after that time. The fingerprint is the SHA-256\nof the gateway's certificate. `ash devices list` tells who has paired.";
    }
}
