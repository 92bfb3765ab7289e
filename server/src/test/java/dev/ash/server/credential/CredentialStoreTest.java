package dev.ash.server.credential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.engine.ModelProvider;
import dev.ash.server.store.Sealer;
import dev.ash.server.store.StoreContract;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@StoreContract.Covers(CredentialStore.class)
class CredentialStoreTest extends StoreContract {
    private CredentialStore store;

    @BeforeEach
    void create() throws IOException {
        store =
                new CredentialStore(
                        database, Sealer.open(directory().resolve("key"), new SecureRandom()));
    }

    private static CredentialStore.Row row(String id, ModelProvider type, long createdAt) {
        return new CredentialStore.Row(id, type, TEXT, createdAt, null);
    }

    @Test
    void readsStoredCredentials() {
        var credential = row("1", ModelProvider.ANTHROPIC, LATE);
        store.insert(TENANT, credential, TEXT);

        assertThat(store.list(TENANT)).containsExactly(credential);
        assertThat(store.list(OTHER_TENANT)).isEmpty();
        assertThat(store.secret(TENANT, "1"))
                .contains(new CredentialStore.Secret(ModelProvider.ANTHROPIC, TEXT));
        assertThat(store.secret(OTHER_TENANT, "1")).isEmpty();
        assertThat(row("credentials").get("secret")).isNotEqualTo(bytes(TEXT));
    }

    @Test
    void storesTimeOfLastUse() {
        store.insert(TENANT, row("1", ModelProvider.OPENAI, 0), "secret");

        store.storeLastUse(OTHER_TENANT, "1", 1);
        assertThat(store.list(TENANT).getFirst().lastUsedAt()).isNull();
        store.storeLastUse(TENANT, "1", LATE);
        assertThat(store.list(TENANT).getFirst().lastUsedAt()).isEqualTo(LATE);
    }

    @Test
    void listsByCreationTimeThenId() {
        store.insert(TENANT, row("c", ModelProvider.OPENAI, 1), "secret");
        store.insert(TENANT, row("b", ModelProvider.OPENAI, 2), "secret");
        store.insert(TENANT, row("a", ModelProvider.OPENAI, 2), "secret");

        assertThat(store.list(TENANT))
                .extracting(CredentialStore.Row::id)
                .containsExactly("c", "a", "b");
    }

    @Test
    void deletesOnlyCredentialsOfTenant() {
        store.insert(TENANT, row("1", ModelProvider.OPENAI, 1), "secret");

        assertThat(store.delete(OTHER_TENANT, "1")).isFalse();
        assertThat(store.delete(TENANT, "1")).isTrue();
        assertThat(store.delete(TENANT, "1")).isFalse();
        assertThat(store.list(TENANT)).isEmpty();
    }

    @Test
    void rejectsDuplicateId() {
        store.insert(TENANT, row("1", ModelProvider.OPENAI, 1), "first");

        assertThatThrownBy(() -> store.insert(TENANT, row("1", ModelProvider.OPENAI, 2), "second"))
                .isInstanceOf(ApiException.class);

        assertThat(store.secret(TENANT, "1").orElseThrow().value()).isEqualTo("first");
    }

    @Test
    void deletesOnceConcurrently() {
        store.insert(TENANT, row("1", ModelProvider.OPENAI, 1), "secret");

        var deleted = concurrently(10, _ -> () -> store.delete(TENANT, "1"));

        assertThat(deleted.stream().filter(Objects::nonNull).filter(done -> done)).hasSize(1);
    }
}
