package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.TestUpstream;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests TLS connections to a model API with a certificate for model.example. */
@Timeout(60)
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir static Path directory;
    private static SSLContext context;

    @BeforeAll
    static void createCertificate() throws Exception {
        var store = directory.resolve("keys.p12");
        var keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "model",
                                "-keyalg",
                                "EC",
                                "-dname",
                                "CN=model.example",
                                "-ext",
                                "san=dns:model.example",
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                "changeit")
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor(30, TimeUnit.SECONDS)).isTrue();
        context = context(store);
    }

    @Test
    void callsModelOverTls() throws Exception {
        try (var upstream = tlsUpstream();
                var proxy = proxy(context.getSocketFactory(), "model.example")) {
            proxy.model = TestProxy.access("https://model.example:" + upstream.port());

            assertThat(proxy.callModel("{}").body()).isEqualTo("secure");
            assertThat(upstream.requests().getFirst().headers().values("x-api-key"))
                    .containsExactly(TestProxy.REAL_KEY);
        }
    }

    @Test
    void sendsNoKeyIfCertificateHasAnotherName() throws Exception {
        try (var upstream = tlsUpstream();
                var proxy = proxy(context.getSocketFactory(), "other.example")) {
            proxy.model = TestProxy.access("https://other.example:" + upstream.port());

            var response = proxy.callModel("{}");

            assertThat(response.status()).isEqualTo(502);
            assertThat(response.body()).contains("certificate").doesNotContain("CANARY");
            assertThat(upstream.requests()).isEmpty();
        }
    }

    @Test
    void sendsNoKeyIfCertificateIsNotTrusted() throws Exception {
        try (var upstream = tlsUpstream();
                var proxy =
                        proxy((SSLSocketFactory) SSLSocketFactory.getDefault(), "model.example")) {
            proxy.model = TestProxy.access("https://model.example:" + upstream.port());

            assertThat(proxy.callModel("{}").status()).isEqualTo(502);
            assertThat(upstream.requests()).isEmpty();
        }
    }

    private static TestProxy proxy(SSLSocketFactory tls, String name) throws IOException {
        return TestProxy.with(TestProxy.LONG_TIMEOUTS, TestProxy.resolving(name, "127.0.0.1"), tls);
    }

    private static TestUpstream tlsUpstream() throws IOException {
        var server =
                (SSLServerSocket)
                        context.getServerSocketFactory()
                                .createServerSocket(0, 10, InetAddress.getLoopbackAddress());
        return TestUpstream.on(
                server,
                (_, body, out) -> {
                    body.readAllBytes();
                    TestUpstream.respond(out, "secure");
                });
    }

    private static SSLContext context(Path store) throws GeneralSecurityException, IOException {
        var keys = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        var trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("model", keys.getCertificate("model"));
        var keyManagers = KeyManagerFactory.getInstance("PKIX");
        keyManagers.init(keys, PASSWORD);
        var trustManagers = TrustManagerFactory.getInstance("PKIX");
        trustManagers.init(trusted);
        var context = SSLContext.getInstance("TLS");
        context.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
        return context;
    }
}
