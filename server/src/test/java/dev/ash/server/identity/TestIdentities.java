package dev.ash.server.identity;

import java.util.Optional;
import java.util.function.Function;

/** An identity source with identities defined by a test. */
public final class TestIdentities implements IdentitySource {
    private final Function<String, Optional<Identity>> find;
    private final OpenCalls openCalls = new OpenCalls(ids -> ids, "");

    public TestIdentities(Function<String, Optional<Identity>> find) {
        this.find = find;
    }

    /** Rejects all credentials. */
    public static Authenticator none() {
        return authenticator(_ -> Optional.empty());
    }

    public static Authenticator authenticator(Function<String, Optional<Identity>> find) {
        return new TestIdentities(find).authenticator();
    }

    public Authenticator authenticator() {
        return new Authenticator(this, new TestIdentities(_ -> Optional.empty()));
    }

    @Override
    public Optional<Identity> find(String credential) {
        return find.apply(credential);
    }

    @Override
    public OpenCalls openCalls() {
        return openCalls;
    }
}
