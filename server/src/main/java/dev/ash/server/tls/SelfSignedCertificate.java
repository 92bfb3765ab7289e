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
 * The self-signed certificate of a server, created at first use for the current names and addresses
 * of the host. Uses {@code keytool}, because the JDK has no public API to create certificates.
 *
 * <p>Every change writes a new file and renames it, so a crash leaves a valid store.
 */
final class SelfSignedCertificate {
    private static final String PASSWORD = "ASH_STORE_PASSWORD";

    private final Path file;
    private final Path next;
    private final List<String> passwords;

    /** Writes with the first password; the others can open earlier stores. */
    SelfSignedCertificate(Path file, List<String> passwords) {
        this.file = file;
        this.next = file.resolveSibling(file.getFileName() + ".next");
        this.passwords = List.copyOf(passwords);
    }

    boolean exists() {
        return Files.exists(file);
    }

    /** Opens the certificate; creates it if it is missing. */
    TlsIdentity open() throws IOException, InterruptedException {
        if (Files.notExists(file)) {
            create(file);
        }
        return read(file);
    }

    /** Creates the certificate for the next {@link #rotate}, unless it is prepared already. */
    TlsIdentity prepare() throws IOException, InterruptedException {
        if (Files.notExists(next)) {
            create(next);
        }
        return read(next);
    }

    TlsIdentity rotate() throws IOException, InterruptedException {
        var prepared = prepare();
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
        return prepared;
    }

    /** Encrypts the stores with another password. */
    SelfSignedCertificate withPassword(String password) throws IOException {
        var changed = new SelfSignedCertificate(file, withFirst(password));
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

    /** Encrypts a store again that has an earlier password. */
    private TlsIdentity read(Path store) throws IOException {
        Exception failure = null;
        for (var password : passwords) {
            try {
                var identity = TlsIdentity.ofStore(store, password);
                return password.equals(passwords.getFirst()) ? identity : rewrite(store, identity);
            } catch (GeneralSecurityException | IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        throw new IOException(
                "Cannot read the server's certificate %s (%s); delete it to create a new one at the next start"
                        .formatted(store, failure == null ? "no password" : failure.getMessage()),
                failure);
    }

    private TlsIdentity rewrite(Path store, TlsIdentity old)
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

    private void create(Path store) throws IOException, InterruptedException {
        var draft = store.resolveSibling(store.getFileName() + ".draft");
        Files.deleteIfExists(draft);
        var command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                        "-J-XX:TieredStopAtLevel=1", // short-lived process
                        "-J-XX:+UseSerialGC",
                        iterations("key"),
                        iterations("cert"),
                        iterations("mac"),
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
        // Not as an argument: all users of the host can read arguments.
        builder.environment().put(PASSWORD, passwords.getFirst());
        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
            throw new IOException("keytool failed to create a certificate: " + output.strip());
        }
        Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rw-------"));
        try (var channel = FileChannel.open(draft, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Files.move(draft, store, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Many iterations protect passwords that can be guessed. This one is a derived key of 256 bits,
     * and the default of 10 000 would add half a second to each start.
     */
    private static String iterations(String part) {
        var name = part.equals("mac") ? part : part + "Pbe";
        return "-J-Dkeystore.pkcs12." + name + "IterationCount=1000";
    }

    private static Set<String> names() throws IOException {
        var names = new LinkedHashSet<String>();
        names.add("dns:localhost");
        hostName().ifPresent(host -> names.add("dns:" + host));
        names.addAll(
                NetworkInterface.networkInterfaces()
                        .flatMap(NetworkInterface::inetAddresses)
                        .map(SelfSignedCertificate::withoutScope)
                        .map(address -> "ip:" + address)
                        .collect(Collectors.toCollection(LinkedHashSet::new)));
        return names;
    }

    /** Returns empty if the host name is not a valid DNS name. */
    private static Optional<String> hostName() {
        try {
            return Optional.of(InetAddress.getLocalHost().getHostName())
                    .filter(host -> host.matches("[A-Za-z0-9.-]+"));
        } catch (UnknownHostException e) {
            return Optional.empty();
        }
    }

    /** Returns the address without the scope of link-local addresses. */
    private static String withoutScope(InetAddress address) {
        var text = address.getHostAddress();
        int scope = text.indexOf('%');
        return address instanceof Inet6Address && scope > 0 ? text.substring(0, scope) : text;
    }
}
