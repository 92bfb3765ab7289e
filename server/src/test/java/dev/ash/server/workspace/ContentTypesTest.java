package dev.ash.server.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ContentTypesTest {
    @Test
    void mapsFileNameExtensions() {
        assertThat(ContentTypes.of("a/b.JSON")).isEqualTo("application/json");
        assertThat(ContentTypes.of("README.md")).isEqualTo("text/markdown; charset=utf-8");
        assertThat(ContentTypes.of("x.tar.gz")).isEqualTo("application/gzip");
        assertThat(ContentTypes.of("md")).isEqualTo("application/octet-stream");
        assertThat(ContentTypes.of("dir.md/file")).isEqualTo("application/octet-stream");
        assertThat(ContentTypes.of("a.unknown")).isEqualTo("application/octet-stream");
    }
}
