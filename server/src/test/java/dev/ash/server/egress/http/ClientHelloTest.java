package dev.ash.server.egress.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Tests the parser of TLS ClientHello messages. */
public class ClientHelloTest {
    @Test
    void readsServerNameOfRealClient() throws Exception {
        assertThat(ClientHello.serverName(hello("www.example.com"))).hasValue("www.example.com");
        assertThat(ClientHello.serverName(hello(null))).isEmpty();
        assertThat(ClientHello.serverName("SSH-2.0-x".getBytes())).isEmpty();
        assertThat(ClientHello.serverName(new byte[0])).isEmpty();
    }

    @Test
    void readsClientHelloInPieces() throws Exception {
        var hello = hello("www.example.com");
        var slowInput =
                new HttpInput(
                        new ByteArrayInputStream(hello) {
                            @Override
                            public int read(byte[] bytes, int offset, int length) {
                                return super.read(bytes, offset, Math.min(length, 3));
                            }
                        });

        assertThat(ClientHello.readFirst(slowInput)).isEqualTo(hello);
    }

    @Test
    void rejectsTruncatedClientHello() throws Exception {
        var hello = hello("www.example.com");
        for (int length = 1; length < hello.length; length++) {
            var cut = Arrays.copyOf(hello, length);
            assertThatExceptionOfType(BadMessageException.class)
                    .isThrownBy(() -> ClientHello.serverName(cut));
        }
    }

    @Test
    void rejectsClientHelloInTwoRecords() throws Exception {
        var hello = hello("www.example.com");
        var out = new ByteArrayOutputStream();
        record(out, hello, 5, 40);
        record(out, hello, 45, hello.length - 45);

        assertThatExceptionOfType(BadMessageException.class)
                .isThrownBy(() -> ClientHello.serverName(out.toByteArray()));
    }

    @Property(tries = 2000)
    void parsesOrRejectsRandomBytes(@ForAll byte[] noise) {
        var bytes = noise.clone();
        if (bytes.length > 6) {
            bytes[0] = 22;
            bytes[5] = 1;
        }
        try {
            ClientHello.serverName(
                    ClientHello.readFirst(new HttpInput(new ByteArrayInputStream(bytes))));
        } catch (IOException e) {
            assertThat(e).isInstanceOf(BadMessageException.class);
        }
    }

    public static byte[] hello(String name) throws GeneralSecurityException, IOException {
        var engine = SSLContext.getDefault().createSSLEngine();
        engine.setUseClientMode(true);
        if (name != null) {
            var parameters = engine.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(name)));
            engine.setSSLParameters(parameters);
        }
        var out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), out);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static void record(ByteArrayOutputStream out, byte[] bytes, int from, int length) {
        out.write(new byte[] {22, 3, 1, (byte) (length >> 8), (byte) length}, 0, 5);
        out.write(bytes, from, length);
    }
}
