package dev.ash.server.tls;

import dev.ash.server.store.PrivateFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A certificate that nobody has signed, made at first use for the names and addresses that this
 * host has then. The JDK can make one, but only its {@code keytool} does so in public.
 *
 * <p>Every change writes a whole new file and renames it, so a crash leaves one valid store.
 */
final class SelfSigned {
    private static final String PASSWORD = "ASH_STORE_PASSWORD";

    private final Path file;
    private final Path next;
    private final List<String> passwords;

    /** The first password is used for writing; the others may open a store of earlier. */
    SelfSigned(Path file, List<String> passwords) {
        this.file = file;
        this.next = file.resolveSibling(file.getFileName() + ".next");
        this.passwords = List.copyOf(passwords);
    }

    boolean exists() {
        return Files.exists(file);
    }

    /** Makes the certificate if there is none. */
    TlsIdentity open() throws IOException, InterruptedException {
        if (Files.notExists(file)) {
            make(file);
        }
        return read(file);
    }

    /** Makes the certificate that the next {@link #rotate} will take, or returns the one made. */
    TlsIdentity prepare() throws IOException, InterruptedException {
        if (Files.notExists(next)) {
            make(next);
        }
        return read(next);
    }

    TlsIdentity rotate() throws IOException, InterruptedException {
        var prepared = prepare();
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        return prepared;
    }

    /** The same certificates under another password. */
    SelfSigned withPassword(String password) throws IOException {
        var changed = new SelfSigned(file, withFirst(password));
        for (var store : List.of(file, next)) {
            if (Files.exists(store)) {
                changed.read(store);
            }
        }
        return changed;
    }

    private List<String> withFirst(String password) {
        var all = new LinkedHashSet<String>();
        all.add(password);
        all.addAll(passwords);
        return List.copyOf(all);
    }

    /** A store that only an earlier password opens is written again under the first one. */
    private TlsIdentity read(Path store) throws IOException {
        Exception failure = null;
        for (var password : passwords) {
            try {
                var identity = TlsIdentity.ofStore(store, password);
                return password.equals(passwords.getFirst())
                        ? identity
                        : rewritten(store, identity);
            } catch (GeneralSecurityException | IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        throw new IOException(
                "The server's certificate %s cannot be used (%s); delete it, and a new one is made"
                        .formatted(store, failure == null ? "no password" : failure.getMessage()),
                failure);
    }

    private TlsIdentity rewritten(Path store, TlsIdentity old)
            throws IOException, GeneralSecurityException {
        var alias = old.keys().aliases().nextElement();
        var password = passwords.getFirst();
        var keys = KeyStore.getInstance("PKCS12");
        keys.load(null, null);
        keys.setKeyEntry(
                alias,
                old.keys().getKey(alias, old.password().toCharArray()),
                password.toCharArray(),
                old.keys().getCertificateChain(alias));
        var bytes = new ByteArrayOutputStream();
        keys.store(bytes, password.toCharArray());
        PrivateFile.write(store, bytes.toByteArray());
        return TlsIdentity.ofStore(store, password);
    }

    private void make(Path store) throws IOException, InterruptedException {
        var draft = store.resolveSibling(store.getFileName() + ".draft");
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
                        "CN=Ash",
                        "-ext",
                        "san=" + String.join(",", names()),
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        draft.toString(),
                        "-storepass:env",
                        PASSWORD);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        // Every user of the host can read arguments.
        builder.environment().put(PASSWORD, passwords.getFirst());
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException("keytool could not make a certificate: " + output.strip());
        }
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-------"));
        try (var channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(draft, store, StandardCopyOption.ATOMIC_MOVE);
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
}
