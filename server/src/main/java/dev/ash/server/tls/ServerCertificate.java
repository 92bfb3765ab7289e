package dev.ash.server.tls;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * The certificate of one or more listeners. It can be replaced while they listen: open connections
 * continue, new connections get the new certificate.
 */
public final class ServerCertificate {
    private final List<Consumer<TlsIdentity>> subscribers = new CopyOnWriteArrayList<>();
    private volatile TlsIdentity current;

    public ServerCertificate(TlsIdentity first) {
        this.current = first;
    }

    public TlsIdentity current() {
        return current;
    }

    /** Returns the current identity; calls {@code subscriber} with each replacement. */
    public synchronized TlsIdentity subscribe(Consumer<TlsIdentity> subscriber) {
        subscribers.add(subscriber);
        return current;
    }

    public synchronized void replace(TlsIdentity next) {
        current = next;
        subscribers.forEach(subscriber -> subscriber.accept(next));
    }
}
