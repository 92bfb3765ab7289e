package dev.ash.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * Opens TLS connections to one server. Accepts only pinned certificates, if there are any;
 * otherwise requires a certificate for the host name from a trusted authority.
 */
final class Tls {
    private final URI server;
    private final Set<Fingerprint> pinned;

    Tls(URI server, Set<Fingerprint> pinned) {
        this.server = server;
        this.pinned = pinned;
    }

    /** Performs the handshake; throws {@link UntrustedServerException} if it fails. */
    SSLSocket wrap(Socket plain, int port) throws IOException {
        var socket = (SSLSocket) factory().createSocket(plain, server.getHost(), port, true);
        if (pinned.isEmpty()) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm(
                    "HTTPS"); // without it, any host name is accepted
            socket.setSSLParameters(parameters);
        }
        try {
            socket.startHandshake();
            return socket;
        } catch (SSLException e) {
            if (hasCause(e, EOFException.class)) {
                throw e; // connection lost
            }
            throw new UntrustedServerException(message(e), e);
        }
    }

    private SSLSocketFactory factory() {
        try {
            if (pinned.isEmpty()) {
                return SSLContext.getDefault().getSocketFactory();
            }
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new PinnedTrust(pinned)}, null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // required of every JDK
        }
    }

    private String message(SSLException failure) {
        // The JDK prepends the name of the alert.
        var cause = String.valueOf(failure.getMessage()).replaceFirst("^\\([a-z_]+\\) ", "");
        if (hasCause(failure, PinnedTrust.WrongFingerprintException.class)) {
            return "The certificate of %s is not the expected one: %s. The connection may be intercepted. If the certificate was replaced on purpose, compare it with the fingerprint that the server shows and set ASH_SERVER_FINGERPRINT to it; on the server's own machine, run `ash start` again."
                    .formatted(server, cause);
        }
        if (hasCause(failure, CertificateExpiredException.class)) {
            return "The certificate of %s has expired (%s). Replace it on the server: ash secrets rotate, or new ASH_TLS_CERT and ASH_TLS_KEY files."
                    .formatted(server, cause);
        }
        if (hasCause(failure, CertificateNotYetValidException.class)) {
            return "The certificate of %s is not valid yet (%s). Compare the clocks of both machines."
                    .formatted(server, cause);
        }
        if (hasCause(failure, CertPathBuilderException.class)) {
            return "The certificate of %s was not issued by a trusted authority. If it is self-signed, set ASH_SERVER_FINGERPRINT to the fingerprint that `ash start` shows on the server."
                    .formatted(server);
        }
        if (hasCause(failure, CertificateException.class)) {
            return "The certificate of %s is not accepted: %s. Use a host name for which it was issued, or set ASH_SERVER_FINGERPRINT to its fingerprint."
                    .formatted(server, cause);
        }
        if (cause.contains("Unsupported or unrecognized SSL message")) {
            return "%s does not support TLS; no request was sent. Start the server with ASH_TLS=on, or use http:// for an unencrypted connection."
                    .formatted(server);
        }
        return "The TLS connection to %s failed: %s.".formatted(server, cause);
    }

    private static boolean hasCause(Throwable failure, Class<? extends Throwable> type) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (type.isInstance(each)) {
                return true;
            }
        }
        return false;
    }
}
