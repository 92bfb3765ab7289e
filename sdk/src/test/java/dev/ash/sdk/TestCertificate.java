package dev.ash.sdk;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate created by keytool, and servers that use it. */
public record TestCertificate(Path file, String alias, KeyStore keys) {
    private static final String PASSWORD = "password";

    /**
     * Creates a self-signed certificate; {@code more} are arguments of {@code keytool -genkeypair}.
     */
    public static TestCertificate create(Path directory, String hostName, String... more)
            throws Exception {
        return create(directory.resolve(hostName + ".p12"), hostName, List.of(more));
    }

    /** Creates a certificate signed by this authority. */
    TestCertificate signed(String hostName, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of("-signer", alias));
        arguments.addAll(List.of(more));
        var both = create(file, hostName, arguments);
        var alone = KeyStore.getInstance("PKCS12");
        alone.load(null, null);
        alone.setKeyEntry(
                hostName,
                both.keys().getKey(hostName, PASSWORD.toCharArray()),
                PASSWORD.toCharArray(),
                both.keys().getCertificateChain(hostName));
        return new TestCertificate(file, hostName, alone);
    }

    private static TestCertificate create(Path file, String hostName, List<String> more)
            throws Exception {
        var command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                                "-J-XX:TieredStopAtLevel=1",
                                "-J-XX:+UseSerialGC",
                                "-genkeypair",
                                "-alias",
                                hostName,
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=" + hostName,
                                "-ext",
                                "san=dns:" + hostName,
                                "-keystore",
                                file.toString(),
                                "-storepass",
                                PASSWORD));
        command.addAll(more);
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(output);
        }
        var keys = KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
        return new TestCertificate(file, hostName, keys);
    }

    public String fingerprint() throws GeneralSecurityException {
        return Fingerprint.of((X509Certificate) keys.getCertificate(alias)).sha256();
    }

    public FakeServer server() throws Exception {
        var factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(keys, PASSWORD.toCharArray());
        var context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return new FakeServer(
                context.getServerSocketFactory()
                        .createServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    /** Returns the context of a machine that trusts these authorities. */
    static SSLContext trusting(TestCertificate... authorities) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (var authority : authorities) {
            var certificate = authority.keys().getCertificate(authority.alias());
            store.setCertificateEntry(authority.fingerprint(), certificate);
        }
        var factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }
}
