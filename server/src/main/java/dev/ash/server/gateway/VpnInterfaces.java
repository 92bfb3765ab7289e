package dev.ash.server.gateway;

import dev.ash.server.egress.policy.Subnet;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import java.util.regex.Pattern;

/** Finds the current subnets of the WireGuard and Tailscale interfaces of this host. */
final class VpnInterfaces {
    private static final Pattern NAME = Pattern.compile("(wg|tailscale)[A-Za-z0-9_.-]*");

    static List<Subnet> subnets() {
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(each -> NAME.matcher(each.getName()).matches())
                    .flatMap(each -> each.getInterfaceAddresses().stream())
                    .map(each -> new Subnet(each.getAddress(), each.getNetworkPrefixLength()))
                    .filter(subnet -> subnet.bits() > 0)
                    .toList();
        } catch (SocketException e) {
            return List.of(); // no address is classified as VPN
        }
    }

    private VpnInterfaces() {}
}
