package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private final Endpoint list = endpoint(Method.GET, "/api/agents");
    private final Endpoint show = endpoint(Method.GET, "/api/agents/{name}");
    private final Endpoint remove = endpoint(Method.DELETE, "/api/agents/{id}");
    private final Endpoint search = endpoint(Method.GET, "/api/agents/search");
    private final Endpoint file = endpoint(Method.GET, "/api/agents/{name}/files/{path*}");
    private final Endpoint searchFiles = endpoint(Method.GET, "/api/agents/search/recent");
    private final Router router =
            new Router(List.of(list, show, remove, search, file, searchFiles));

    @Test
    void prefersLiteralsAndBacktracks() {
        assertThat(find("/api/agents/search")).isEqualTo(new Router.Found(search, Map.of()));
        assertThat(find("/api/agents/search/files/a"))
                .isEqualTo(new Router.Found(file, Map.of("name", "search", "path", "a")));
    }

    @Test
    void usesVariableNamesOfMatchedEndpoint() {
        assertThat(find("/api/agents/a%20b"))
                .isEqualTo(new Router.Found(show, Map.of("name", "a b")));
        assertThat(router.find(Method.DELETE, RequestPath.segments("/api/agents/x")))
                .isEqualTo(new Router.Found(remove, Map.of("id", "x")));
    }

    @Test
    void decodesTailOnce() {
        assertThat(tail("src/main.py")).isEqualTo("src/main.py");
        assertThat(tail("src%2Fmain.py")).isEqualTo("src/main.py");
        assertThat(tail("a%252Fb")).isEqualTo("a%2Fb");
        assertThat(tail("%2e%2e/%2E%2E/etc")).isEqualTo("../../etc");
        assertThat(tail("a//b")).isEqualTo("a//b");
        assertThat(tail("%C3%A9%20%F0%9F%8E%89+;x")).isEqualTo("é 🎉+;x");
    }

    @Test
    void ignoresOneTrailingSlash() {
        assertThat(find("/api/agents/")).isEqualTo(new Router.Found(list, Map.of()));
        assertThat(find("/api/agents//")).isEqualTo(new Router.NotFound());
        assertThat(find("//api/agents")).isEqualTo(new Router.NotFound());
        assertThat(find("/api/agents/x/files/")).isEqualTo(new Router.NotFound());
        assertThat(find("/api/agents/x/files//")).isEqualTo(new Router.NotFound());
    }

    @Test
    void reportsAllowedMethods() {
        assertThat(router.find(Method.POST, RequestPath.segments("/api/agents/x")))
                .isEqualTo(new Router.OtherMethods(Set.of(Method.GET, Method.DELETE)));
        assertThat(router.find(null, RequestPath.segments("/api/agents")))
                .isEqualTo(new Router.OtherMethods(Set.of(Method.GET)));
    }

    @Test
    void fallsBackToVariableIfLiteralLacksMethod() {
        assertThat(router.find(Method.DELETE, RequestPath.segments("/api/agents/search")))
                .isEqualTo(new Router.Found(remove, Map.of("id", "search")));
    }

    @Test
    void rejectsDuplicateRoutes() {
        var other = endpoint(Method.GET, "/api/agents/{agent}");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Router(List.of(show, other)))
                .withMessageContaining("/api/agents/{name}")
                .withMessageContaining("/api/agents/{agent}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "/a/", "/a//b", "/{}", "/{*}", "/a{b}", "/{x*}/b", "/{a}/{a}"})
    void rejectsInvalidTemplates(String template) {
        assertThatIllegalArgumentException().isThrownBy(() -> PathTemplate.parse(template));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/%", "/%4", "/%zz", "/%ff", "/%c0%af", "/%00", "/%+1", "/%ED%A0%80", "x"})
    void rejectsInvalidEncodings(String path) {
        assertThatThrownBy(() -> RequestPath.segments(path)).hasMessageStartingWith("path: must");
    }

    private Router.Match find(String path) {
        return router.find(Method.GET, RequestPath.segments(path));
    }

    private String tail(String path) {
        return ((Router.Found) find("/api/agents/x/files/" + path)).variables().get("path");
    }

    static Endpoint endpoint(Method method, String path) {
        return new Endpoint(
                method,
                path,
                "",
                Access.OPEN,
                null,
                Void.class,
                200,
                Void.class,
                0,
                List.of(),
                _ -> {});
    }
}
