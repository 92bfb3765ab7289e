package dev.ash.cli.doctor;

import java.util.ArrayList;

/** Remedies for the protections that a running server reports as missing. */
final class IsolationRemedies {
    static final String DELEGATE =
            "Run the server as root, or as a systemd service with Delegate=yes (deploy/systemd/ash.service); as an unprivileged user, with control groups version 2: systemd-run --user --scope -p Delegate=yes ash start";

    private IsolationRemedies() {}

    /** {@code missing} is the text in {@code isolation} of {@code /health}. */
    static String of(String missing) {
        var remedies = new ArrayList<String>();
        if (missing.contains("bubblewrap")) {
            remedies.add(
                    "Bubblewrap: install it and allow unprivileged user namespaces; in a container, run it with --privileged or a profile that allows them.");
        }
        if (missing.contains("setpriv")) {
            remedies.add("Separate users: install util-linux, which contains setpriv.");
        }
        if (missing.contains("host's network")) {
            remedies.add(
                    "Network: allow network namespaces; in a container, run it with --privileged or a profile that allows them.");
        }
        if (missing.contains("not filtered")) {
            remedies.add("System calls: use a host with an x86-64 or arm64 processor.");
        }
        if (missing.contains("control group")) {
            remedies.add(DELEGATE); // last, because it ends with a command
        }
        if (remedies.isEmpty()) {
            remedies.add("`ash doctor --security` names a remedy for each protection.");
        }
        return String.join(" ", remedies);
    }
}
