package dev.ash.server;

import dev.ash.server.tls.ServerCertificate;
import dev.ash.server.tls.TlsIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Publishes the address and the certificate fingerprint of the REST listener in the pid file. */
record RestAddress(RestSettings settings, Path pidFile, int port, long startedAt) {
    private static final System.Logger LOG = System.getLogger("ash.server");

    /** Writes the pid file now and after each replacement of the certificate. */
    PidFile publish(Optional<ServerCertificate> certificate) throws IOException {
        return write(certificate.map(used -> used.subscribe(this::rewrite).sha256()));
    }

    private void rewrite(TlsIdentity next) {
        try {
            write(Optional.of(next.sha256()));
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Cannot write {0} ({1}); the ash command rejects the new certificate until the server is restarted",
                    pidFile,
                    e.getMessage());
        }
    }

    private PidFile write(Optional<String> fingerprint) throws IOException {
        return PidFile.write(
                pidFile,
                settings.host(),
                port,
                fingerprint,
                settings.tls().mode().setting(),
                startedAt);
    }
}
