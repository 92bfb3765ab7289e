package dev.ash.server;

import dev.ash.server.tls.ServerCertificate;
import dev.ash.server.tls.TlsIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** Tells the command line on this machine where the server listens and how it can be recognized. */
record RestAddress(RestSettings settings, Path pidFile, int port, long startedAt) {
    private static final System.Logger LOG = System.getLogger("ash.server");

    /** Writes the pid file, now and whenever the certificate is replaced. */
    PidFile publish(Optional<ServerCertificate> certificate) throws IOException {
        return write(certificate.map(used -> used.usedBy(this::rewrite).sha256()));
    }

    private void rewrite(TlsIdentity next) {
        try {
            write(Optional.of(next.sha256()));
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} cannot be written ({1}); `ash` refuses the new certificate until ash start",
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
