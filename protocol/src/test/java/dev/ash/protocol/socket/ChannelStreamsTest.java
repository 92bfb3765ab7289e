package dev.ash.protocol.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class ChannelStreamsTest {
    @TempDir private Path directory;
    private SocketChannel here;
    private SocketChannel there;

    @BeforeEach
    void connect() throws IOException {
        var address = UnixDomainSocketAddress.of(directory.resolve("s"));
        try (var listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(address);
            here = SocketChannel.open(address);
            there = listener.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
    }

    @Test
    void transfersMoreThanOneBufferUnchanged() throws Exception {
        var sent = new byte[5 * ChannelInput.MAX_TRANSFER + 1];
        new Random(1).nextBytes(sent);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var writing =
                    threads.submit(
                            () -> {
                                new ChannelOutput(here).write(sent);
                                here.shutdownOutput();
                                return true;
                            });

            var received = new ChannelInput(there).readAllBytes();

            assertThat(writing.get(10, TimeUnit.SECONDS)).isTrue();
            assertThat(received).isEqualTo(sent);
        }
    }

    @Test
    void readsUnsignedBytesAndEndOfStream() throws IOException {
        new ChannelOutput(here).write(0xFF);
        here.shutdownOutput();
        var in = new ChannelInput(there);

        assertThat(in.read()).isEqualTo(0xFF);
        assertThat(in.read()).isEqualTo(-1);
    }

    @Test
    void writesWhileAnotherThreadReads() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reading = threads.submit(() -> new ChannelInput(here).read());
            new ChannelOutput(here).write('a');

            assertThat(new ChannelInput(there).read()).isEqualTo('a');
            new ChannelOutput(there).write('b');
            assertThat(reading.get(10, TimeUnit.SECONDS)).isEqualTo('b');
        }
    }
}
