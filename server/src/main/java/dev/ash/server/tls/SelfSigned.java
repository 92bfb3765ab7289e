package dev.ash.server.tls;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A certificate that nobody has signed, made at the first start for the names and addresses that
 * this host has then. The JDK can make one, but only its {@code keytool} does so in public.
 */
public final class SelfSigned {
    private static final String PASSWORD = "ASH_STORE_PASSWORD";

    public static TlsIdentity open(Path file, String password)
            throws IOException, InterruptedException {
        try {
            if (Files.notExists(file)) {
                make(file, password);
            }
            return TlsIdentity.ofStore(file, password);
        } catch (GeneralSecurityException | IOException e) {
            throw new IOException(
                    "The gateway's certificate %s cannot be used (%s); delete it, and a new one is made"
                            .formatted(file, e.getMessage()),
                    e);
        }
    }

    private static void make(Path file, String password) throws IOException, InterruptedException {
        var draft = file.resolveSibling(file.getFileName() + ".draft");
        Files.deleteIfExists(draft);
        var command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-genkeypair",
                        "-alias",
                        "gateway",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-validity",
                        "3650",
                        "-dname",
                        "CN=Ash gateway",
                        "-ext",
                        "san=" + String.join(",", names()),
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        draft.toString(),
                        "-storepass:env",
                        PASSWORD);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put(PASSWORD, password); // arguments are for everyone to read
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException("keytool could not make it: " + output.strip());
        }
        Files.setPosixFilePermissions(
                draft, java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
        Files.move(draft, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
    }

    private static Set<String> names() throws IOException {
        var names = new LinkedHashSet<String>();
        names.add("dns:localhost");
        hostName().ifPresent(host -> names.add("dns:" + host));
        names.addAll(
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .map(SelfSigned::plain)
                        .map(address -> "ip:" + address)
                        .collect(Collectors.toCollection(LinkedHashSet::new)));
        return names;
    }

    /** Not every machine has one that means anything. */
    private static Optional<String> hostName() {
        try {
            return Optional.of(InetAddress.getLocalHost().getHostName())
                    .filter(host -> host.matches("[A-Za-z0-9.-]+"));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Without the interface that a link-local address is on. */
    private static String plain(InetAddress address) {
        var text = address.getHostAddress();
        int scope = text.indexOf('%');
        return address instanceof Inet6Address && scope > 0 ? text.substring(0, scope) : text;
    }

    private SelfSigned() {}
}
