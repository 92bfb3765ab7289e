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
 * The TLS of one server. With pinned fingerprints they alone decide; without, the certificate must
 * be for the host name and from an authority that this machine trusts.
 */
final class Tls {
    private final URI server;
    private final Set<Fingerprint> pinned;

    Tls(URI server, Set<Fingerprint> pinned) {
        this.server = server;
        this.pinned = pinned;
    }

    /** Throws {@link UntrustedServerException} where the server is not accepted. */
    SSLSocket over(Socket plain, int port) throws IOException {
        var socket = (SSLSocket) factory().createSocket(plain, server.getHost(), port, true);
        if (pinned.isEmpty()) {
            var parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS"); // or any certificate would do
            socket.setSSLParameters(parameters);
        }
        try {
            socket.startHandshake();
            return socket;
        } catch (SSLException e) {
            if (find(e, EOFException.class)) {
                throw e; // the server went away
            }
            throw new UntrustedServerException(sentence(e), e);
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
            throw new IllegalStateException(e); // every JDK has it
        }
    }

    private String sentence(SSLException failure) {
        // The JDK puts the name of the alert in front.
        var message = String.valueOf(failure.getMessage()).replaceFirst("^\\([a-z_]+\\) ", "");
        if (find(failure, PinnedTrust.WrongFingerprintException.class)) {
            return "%s is not the server that was expected: %s. Somebody may be intercepting the connection. If the certificate was replaced on purpose, compare it with the fingerprint that the server shows and set ASH_SERVER_FINGERPRINT to it; on the server's own machine, run `ash start` again."
                    .formatted(server, message);
        }
        if (find(failure, CertificateExpiredException.class)) {
            return "The certificate of %s has expired (%s). Replace it on the server: ash secrets rotate, or new ASH_TLS_CERT and ASH_TLS_KEY files."
                    .formatted(server, message);
        }
        if (find(failure, CertificateNotYetValidException.class)) {
            return "The certificate of %s is not valid yet (%s). Compare the clocks of both machines."
                    .formatted(server, message);
        }
        if (find(failure, CertPathBuilderException.class)) {
            return "The certificate of %s is from no authority that this machine trusts. If the server made it itself, set ASH_SERVER_FINGERPRINT to the fingerprint that `ash start` shows there."
                    .formatted(server);
        }
        if (find(failure, CertificateException.class)) {
            return "The certificate of %s is not accepted: %s. Use a host name that it is made for, or set ASH_SERVER_FINGERPRINT to its fingerprint."
                    .formatted(server, message);
        }
        if (message.contains("Unsupported or unrecognized SSL message")) {
            return "%s does not speak TLS, so nothing was sent. Start the server with ASH_TLS=on, or use http:// if that is what you want."
                    .formatted(server);
        }
        return "No secure connection to %s: %s.".formatted(server, message);
    }

    private static boolean find(Throwable failure, Class<? extends Throwable> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.isInstance(cause)) {
                return true;
            }
        }
        return false;
    }
}
