package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.HttpReading;
import dev.ash.server.egress.http.ProxyException;
import java.io.IOException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Fuzzes the parser of request targets. */
class RequestTargetTest {
    @Property(tries = 2000)
    void parsesOrRejectsRandomBytes(@ForAll byte[] noise) {
        try {
            RequestTarget.of(HttpReading.head(noise));
        } catch (IOException | ProxyException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }
}
