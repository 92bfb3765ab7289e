package dev.ash.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** TLS connection that accepts every certificate, to read the certificate of a server. */
record TlsClient(SSLSocket socket) implements AutoCloseable {
    static TlsClient connect(int port) throws IOException, GeneralSecurityException {
        var context = SSLContext.getInstance("TLS"); // new context: prevents TLS session resumption
        context.init(null, new TrustManager[] {new TrustAll()}, null);
        var socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        socket.startHandshake();
        return new TlsClient(socket);
    }

    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Returns the SHA-256 fingerprint of the server's certificate. */
    String fingerprint() throws IOException, GeneralSecurityException {
        var certificate = socket.getSession().getPeerCertificates()[0].getEncoded();
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate));
    }

    /** Sends a HEAD request and returns the response head; the connection stays open. */
    String head(String path) throws IOException {
        socket.getOutputStream()
                .write(
                        "HEAD %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .formatted(path)
                                .getBytes(StandardCharsets.US_ASCII));
        return head(socket.getInputStream());
    }

    private static String head(InputStream in) throws IOException {
        var read = new StringBuilder();
        while (read.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("connection closed after: " + read);
            }
            read.append((char) next);
        }
        return read.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
