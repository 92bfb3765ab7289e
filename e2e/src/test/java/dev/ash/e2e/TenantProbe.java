package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * One place where a client can name something of a tenant: what happens when another tenant names
 * it there, and that its owner can.
 */
interface TenantProbe {
    /** As {@link Routes} has it. */
    String place();

    /** Makes what the request needs; returns whether it made anything. */
    default boolean prepare() {
        return false;
    }

    void asForeigner();

    void asOwner();

    /** Whether the foreigner gets something of its own, instead of a refusal. */
    default boolean creates() {
        return false;
    }

    /** A request, as a function of the id that it names. */
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

        Answer send(Api api) {
            return api.exchange(
                    method,
                    path,
                    body == null ? null : Api.json(body),
                    request -> headers.forEach(request::setHeader));
        }
    }

    /** What a foreigner sees, without the id that it named and what differs between any two. */
    record Seen(int status, Map<String, List<String>> headers, String body) {
        static Seen of(Answer answer, String id) {
            var headers = new TreeMap<String, List<String>>();
            answer.headers()
                    .map()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values));
            headers.remove("date");
            return new Seen(answer.status(), headers, answer.text().replace(id, "<id>"));
        }

        /** The same for an answer that shows what was made: ids and times differ. */
        Seen withoutWhatWasMade() {
            var plain =
                    body.replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "<uuid>")
                            .replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z", "<time>")
                            .replaceAll("[0-9a-f]{32}", "<hex>");
            var kept = new TreeMap<>(headers);
            kept.remove("content-length");
            return new Seen(status, kept, plain);
        }
    }

    /**
     * A request to the API.
     *
     * @param refusal which status the foreigner gets; 400 only where the id is the field of a body
     *     that is wrong
     */
    record Http(
            String place,
            Api foreigner,
            Api owner,
            ForeignId id,
            int refusal,
            String secret,
            Function<String, Call> call)
            implements TenantProbe {

        @Override
        public void asForeigner() {
            var answer = call.apply(id.value()).send(foreigner);
            assertThat(answer.status()).as(answer.text()).isEqualTo(refusal);
            assertThat(answer.text()).doesNotContain(secret);
            var random = id.random();
            var other = call.apply(random).send(foreigner);
            assertThat(Seen.of(answer, id.value())).isEqualTo(Seen.of(other, random));
            if (refusal == 400) {
                assertThat(answer.at("/error").asString())
                        .startsWith(place.substring(place.indexOf('#') + 1));
            }
        }

        @Override
        public void asOwner() {
            var answer = call.apply(id.value()).send(owner);
            assertThat(answer.status()).as(answer.text()).isBetween(200, 299);
        }
    }
}
