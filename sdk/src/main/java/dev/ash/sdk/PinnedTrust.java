package dev.ash.sdk;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Accepts only unexpired server certificates with a pinned fingerprint. Ignores host name and
 * authority: the handshake proves possession of the private key.
 */
final class PinnedTrust extends X509ExtendedTrustManager {
    private final Set<Fingerprint> accepted;

    PinnedTrust(Set<Fingerprint> accepted) {
        this.accepted = Set.copyOf(accepted);
    }

    /** The certificate is not a pinned one. */
    static final class WrongFingerprintException extends CertificateException {
        private static final long serialVersionUID = 1L;

        WrongFingerprintException(Set<Fingerprint> expected, Fingerprint actual) {
            super(
                    "its certificate has the SHA-256 fingerprint %s, but %s was expected"
                            .formatted(
                                    actual,
                                    expected.stream()
                                            .map(Fingerprint::toString)
                                            .sorted()
                                            .collect(Collectors.joining(" or "))));
        }
    }

    private void check(X509Certificate[] chain) throws CertificateException {
        if (chain.length == 0) {
            throw new CertificateException("the server sent no certificate");
        }
        var actual = Fingerprint.of(chain[0]);
        if (!accepted.contains(actual)) {
            throw new WrongFingerprintException(accepted, actual);
        }
        chain[0].checkValidity();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        throw new CertificateException("clients are not accepted");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw new CertificateException("clients are not accepted");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("clients are not accepted");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
