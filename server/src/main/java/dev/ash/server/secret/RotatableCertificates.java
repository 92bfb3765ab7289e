package dev.ash.server.secret;

import dev.ash.protocol.rest.SecretApi;
import dev.ash.server.store.Timestamps;
import dev.ash.server.tls.Certificates;
import dev.ash.server.tls.TlsIdentity;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rotates the certificates of all listeners together, without overlap. */
public final class RotatableCertificates implements RotatableSecret {
    private final Certificates certificates;

    public RotatableCertificates(Certificates certificates) {
        this.certificates = certificates;
    }

    @Override
    public String name() {
        return "certificates";
    }

    @Override
    public void rotate(Duration overlap) throws IOException, InterruptedException {
        certificates.rotate();
    }

    @Override
    public SecretApi.Secret status() {
        var open = new ArrayList<TlsIdentity>();
        var notes = new ArrayList<String>();
        try {
            var used = certificates.fingerprints();
            if (used.rest().isPresent()) { // otherwise the call would create one
                add(open, notes, "REST", certificates.rest().current());
            }
            if (used.gateway().isPresent()) {
                add(open, notes, "gateway", certificates.gateway().current());
            }
        } catch (IOException e) {
            notes.add(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        boolean unused = open.isEmpty();
        return new SecretApi.Secret(
                name(),
                unused ? "none" : open.getFirst().sha256().substring(0, 16),
                unused
                        ? null
                        : Timestamps.iso(
                                open.getFirst()
                                        .certificate()
                                        .getNotBefore()
                                        .toInstant()
                                        .toEpochMilli()),
                SecretApi.CURRENT,
                null,
                notes.isEmpty() ? "No listener uses TLS" : String.join("; ", notes),
                List.of());
    }

    private static void add(
            List<TlsIdentity> open, List<String> notes, String listener, TlsIdentity identity) {
        open.add(identity);
        notes.add(
                "%s: SHA-256 %s, expires %s"
                        .formatted(
                                listener,
                                identity.sha256(),
                                identity.certificate().getNotAfter().toInstant()));
    }
}
