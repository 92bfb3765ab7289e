package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Test of one location where a client can reference an object of a tenant: another tenant must be
 * rejected, and the owner must succeed.
 */
interface TenantProbe {
    /** Returns the location in the format of {@link Routes}. */
    String location();

    /** Creates the objects that the request needs; returns whether it created any. */
    default boolean prepare() {
        return false;
    }

    void asForeigner();

    void asOwner();

    /**
     * Returns whether the request of the foreign tenant creates its own object instead of failing.
     */
    default boolean creates() {
        return false;
    }

    /** HTTP request of a probe. */
    record Call(String method, String path, Object body, Map<String, String> headers) {
        static Call of(String method, String path) {
            return new Call(method, path, null, Map.of());
        }

        static Call of(String method, String path, Object body) {
            return new Call(method, path, body, Map.of());
        }

        Call with(String header, String value) {
            var all = new TreeMap<>(headers);
            all.put(header, value);
            return new Call(method, path, body, all);
        }

        ApiResponse send(Api api) {
            return api.exchange(
                    method,
                    path,
                    body == null ? null : Api.json(body),
                    request -> headers.forEach(request::setHeader));
        }
    }

    /** Response to the foreign tenant without the referenced id and values that always differ. */
    record ObservedResponse(int status, Map<String, List<String>> headers, String body) {
        static ObservedResponse of(ApiResponse answer, String id) {
            var headers = new TreeMap<String, List<String>>();
            answer.headers()
                    .map()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
            headers.remove("date");
            return new ObservedResponse(
                    answer.status(), headers, answer.text().replace(id, "<id>"));
        }

        /** Also removes the ids and times of created objects. */
        ObservedResponse withoutGeneratedValues() {
            var plain =
                    body.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uuid>")
                            .replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "<time>")
                            .replaceAll("[0-9a-f]{32}", "<hex>");
            var kept = new TreeMap<>(headers);
            kept.remove("content-length");
            return new ObservedResponse(status, kept, plain);
        }
    }

    /**
     * A request to the API.
     *
     * @param expectedStatus status of the foreign tenant's response; 400 only if the id is an
     *     invalid field of a body
     */
    record Http(
            String location,
            Api foreigner,
            Api owner,
            ForeignId id,
            int expectedStatus,
            String secret,
            Function<String, Call> call)
            implements TenantProbe {

        @Override
        public void asForeigner() {
            var answer = call.apply(id.value()).send(foreigner);
            assertThat(answer.status()).as(answer.text()).isEqualTo(expectedStatus);
            assertThat(answer.text()).doesNotContain(secret);
            var random = id.random();
            var other = call.apply(random).send(foreigner);
            assertThat(ObservedResponse.of(answer, id.value()))
                    .isEqualTo(ObservedResponse.of(other, random));
            if (expectedStatus == 400) {
                assertThat(answer.at("/error").asString())
                        .startsWith(location.substring(location.indexOf('#') + 1));
            }
        }

        @Override
        public void asOwner() {
            var answer = call.apply(id.value()).send(owner);
            assertThat(answer.status()).as(answer.text()).isBetween(200, 299);
        }
    }
}
